import type { AcquirerAmount, Approved, Declined, DeclineClass, NotSent, Unknown } from "@holdfast/acquirer";
import type { BankAnswer } from "./read-answer.ts";
import { meaningOf } from "./result-codes.ts";

/** The proof that an answer gives about its call. */
export type Verdict = ApprovedVerdict | RefusedVerdict | Unknown | NotSent;

export type ApprovedVerdict = {
  kind: "approved";
  transId: string;
  authCode: string;
  resultCode: string;
  resultMessage: string;
};

/** The bank or the issuer judged the call, and nothing was done. `core` is the number of the gateway's code. */
export type RefusedVerdict = {
  kind: "refused";
  core?: number;
  declineClass?: DeclineClass;
  transId?: string;
  resultCode: string;
  resultMessage: string;
};

/** The call that the answer has to be about, and the texts that must not be repeated from it. */
export type Asked = {
  orderId: string;
  installmentCount?: number;
  /** Card number, password and the like: an answer that repeats one loses the text in which it stands. */
  confidential: readonly string[];
};

/** Judges the answer to a call that moves money. The answer names no amount: see `confirmAmount`. */
export function verdictOf(answer: BankAnswer, asked: Asked): Verdict {
  const { response, procReturnCode, orderId, errorCode, numCode } = answer;
  if (orderId !== "" && orderId !== asked.orderId) return MISMATCH;
  if (response === "Approved") {
    const isContradicted = /^(?:CORE|BM)-/.test(errorCode) || numCode.startsWith("99");
    if (procReturnCode !== "00" || isContradicted) return INVALID_ANSWER;
    return orderId === asked.orderId ? readApproval(answer, asked) : INVALID_ANSWER;
  }
  if (!REFUSALS.has(response)) return INVALID_ANSWER;
  const meaning = meaningOf(answer, asked);
  switch (meaning.kind) {
    case "account":
      return { kind: "not_sent", reason: "credentials" };
    case "undecided":
      return { kind: "unknown", reason: "pending" };
    case "failed":
      return INVALID_ANSWER;
    case "refused": {
      const { code, ...rest } = meaning;
      const resultMessage = messageOf(answer, asked);
      const transId = readId(answer.transId, asked);
      return { ...rest, resultCode: code, resultMessage, ...(transId && { transId }) };
    }
    default:
      return meaning satisfies never;
  }
}

function readApproval(answer: BankAnswer, asked: Asked): Verdict {
  const transId = readId(answer.transId, asked);
  if (!transId || !/^\w{0,8}$/.test(answer.authCode)) return INVALID_ANSWER;
  const { authCode, procReturnCode: resultCode } = answer;
  return { kind: "approved", transId, authCode, resultCode, resultMessage: messageOf(answer, asked) };
}

/** The outcome of a call that was approved, in the amount that it asked for. */
export function approvedBy(
  { transId, ...verdict }: ApprovedVerdict,
  { amountMinor, currency }: AcquirerAmount,
): Approved {
  return { ...verdict, amountMinor, currency, externalTransactionId: transId };
}

/** The outcome of a call that was refused. */
export function declinedBy({ transId, declineClass, resultCode, resultMessage }: RefusedVerdict): Declined {
  return {
    kind: "declined",
    ...(declineClass && { declineClass }),
    ...(transId !== undefined && { externalTransactionId: transId }),
    resultCode,
    resultMessage,
  };
}

/** @returns the bank's id of a movement, or undefined where a column or a log may not have it. */
export function readId(text: string, asked: Pick<Asked, "confidential">): string | undefined {
  return /^[\x21-\x7e]{1,64}$/.test(text) && !hasLong(text, asked) ? text : undefined;
}

function messageOf({ errMsg }: BankAnswer, asked: Asked): string {
  return repeats(errMsg, asked) ? "" : printable(errMsg);
}

/** Removes control characters and long numbers, and cuts to a column's length. */
export function printable(text: string): string {
  const clean = text.replace(/\p{Cc}/gu, " ").replace(/\d(?:[ .-]?\d){11,}/g, "…");
  return Array.from(clean).slice(0, MESSAGE_LENGTH_MAX).join("").trim();
}

/** Ids are compared with card numbers only: a short password may occur in one by chance. */
function hasLong(text: string, { confidential }: Pick<Asked, "confidential">): boolean {
  return confidential.some((part) => part.length >= 12 && text.includes(part));
}

function repeats(text: string, { confidential }: Asked): boolean {
  const dense = text.replace(/[\s.-]/g, "");
  const numbers = new Set(text.split(/\D+/));
  // A CVV is three or four digits, which many longer numbers have in them.
  const occurs = (part: string) =>
    part.length <= 4 ? numbers.has(part) : text.includes(part) || dense.includes(part);
  return confidential.some((part) => part !== "" && occurs(part));
}

const REFUSALS: ReadonlySet<string> = new Set(["Declined", "Decline", "Error"]);
const MESSAGE_LENGTH_MAX = 200;

export const INVALID_ANSWER: Unknown = { kind: "unknown", reason: "invalid_answer" };
export const MISMATCH: Unknown = { kind: "unknown", reason: "mismatch" };
