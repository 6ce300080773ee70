import type { AcquirerAmount, Approved, Declined, NotSent, Unknown } from "@holdfast/acquirer";
import {
  decodeText,
  INVALID_ANSWER,
  maskedMessage,
  MISMATCH,
  readXml,
  refusalOf,
  type HttpAnswer,
  type XmlElement,
} from "@holdfast/acquirer/kit";

import { meaningOf } from "./result-codes.ts";

/** The elements of a `CC5Response` that are read, trimmed; an element that is absent is "". */
export type BankAnswer = {
  response: string;
  procReturnCode: string;
  orderId: string;
  transId: string;
  authCode: string;
  errorCode: string;
  numCode: string;
  errMsg: string;
  /** The children of `Extra`, as they stand. */
  extra: ReadonlyMap<string, string>;
};

/**
 * Reads an answer of the bank's API, however malformed its bytes are.
 * @returns undefined for anything but a `CC5Response` in well-formed XML, and for a decisive element that
 * comes twice with different texts.
 */
export function readAnswer(answer: HttpAnswer): BankAnswer | undefined {
  const text = answer.status === 200 ? decodeText(answer) : undefined;
  const root = text === undefined ? undefined : readXml(text, "CC5Response");
  const top = root && textsOf(root.children);
  const extra =
    root && textsOf(root.children.flatMap(({ name, children }) => (name === "Extra" ? children : [])));
  if (!top || !extra) return undefined;
  const word = (name: string) => (top.get(name) ?? "").trim();
  // Some terminals write the code next to `Extra` instead of inside.
  const code = (name: string) => (extra.get(name) ?? "").trim() || word(name);
  return {
    response: word("Response"),
    procReturnCode: word("ProcReturnCode"),
    orderId: word("OrderId"),
    transId: word("TransId"),
    authCode: word("AuthCode"),
    errorCode: code("ERRORCODE"),
    numCode: code("NUMCODE"),
    errMsg: word("ErrMsg"),
    extra,
  };
}

/** The elements' texts by name. Undefined if a decisive element occurs twice with different texts. */
function textsOf(elements: readonly XmlElement[]): ReadonlyMap<string, string> | undefined {
  const texts = new Map<string, string>();
  for (const { name, text } of elements) {
    const known = texts.get(name);
    if (known === undefined) texts.set(name, text);
    else if (DECISIVE.test(name) && known.trim() !== text.trim()) return undefined;
  }
  return texts;
}

/** Elements that decide about money. Campaign fields may be repeated as a bank likes. */
const DECISIVE = /^(?:Response|ProcReturnCode|OrderId|TransId|AuthCode|ERRORCODE|NUMCODE|TRXCOUNT|TRX\d+)$/;

/** The call that the answer has to be about, and the texts that must not be repeated from it. */
export type Asked = AcquirerAmount & {
  orderId: string;
  installmentCount?: number;
  /** Texts such as the card number and the password. A text of the answer that repeats one is dropped. */
  confidential: readonly string[];
};

/**
 * The proof that the answer to a call that moves money gives. An approval has no amount, so the outcome has
 * the call's: see `confirmAmounts`.
 */
export function outcomeOf(answer: BankAnswer, asked: Asked): Approved | Declined | Unknown | NotSent {
  const { response, procReturnCode: resultCode, orderId, authCode, errorCode, numCode } = answer;
  if (orderId !== "" && orderId !== asked.orderId) return MISMATCH;
  if (response !== "Approved") return readRefusal(answer, asked);
  const isContradicted = resultCode !== "00" || /^(?:CORE|BM)-/.test(errorCode) || numCode.startsWith("99");
  const externalTransactionId = readId(answer.transId, asked.confidential);
  const isWhole = orderId === asked.orderId && /^\w{0,8}$/.test(authCode);
  if (isContradicted || !isWhole || externalTransactionId === undefined) return INVALID_ANSWER;
  const { amountMinor, currency } = asked;
  const resultMessage = maskedMessage(answer.errMsg, asked.confidential);
  return {
    kind: "approved",
    amountMinor,
    currency,
    externalTransactionId,
    authCode,
    resultCode,
    resultMessage,
  };
}

/** The proof that a refusal gives about its call. */
export function readRefusal(
  answer: BankAnswer,
  { installmentCount = 1, confidential }: Pick<Asked, "installmentCount" | "confidential">,
): Declined | Unknown | NotSent {
  if (!REFUSALS.has(answer.response)) return INVALID_ANSWER;
  const { code: resultCode, codeClass } = meaningOf(answer, installmentCount);
  const externalTransactionId = readId(answer.transId, confidential);
  return refusalOf(codeClass, {
    resultCode,
    resultMessage: maskedMessage(answer.errMsg, confidential),
    ...(externalTransactionId !== undefined && { externalTransactionId }),
  });
}

/**
 * @returns the bank's id of a movement, or undefined if a column or a log may not have it. It is compared with card
 * numbers only: a short password may occur in one by chance.
 */
export function readId(text: string, confidential: readonly string[] = []): string | undefined {
  const hasLong = confidential.some((part) => part.length >= 12 && text.includes(part));
  return /^[\x21-\x7e]{1,64}$/.test(text) && !hasLong ? text : undefined;
}

const REFUSALS: ReadonlySet<string> = new Set(["Declined", "Decline", "Error"]);
