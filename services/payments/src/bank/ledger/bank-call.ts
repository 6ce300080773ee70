/**
 * The rules of what may be at a bank, without any I/O: which calls may have left, which may still take effect, and whether
 * a movement that the bank has not seen may be sent again.
 */
import {
  MISMATCH,
  PENDING,
  type AcquirerAmount,
  type AcquirerOutcome,
  type Approved,
  type Capabilities,
  type CompletionOutcome,
  type Expired,
  type Names,
  type ReversalOutcome,
  type Unknown,
  type Verdict,
} from "@holdfast/acquirer";
import { CHARGED_BACK_RESULT } from "@holdfast/contracts";
import type { Selectable } from "kysely";
import type { BankCallTable, CallKind, CallOutcome } from "./bank-call-table.ts";

/** One sending of one call, with the time since, by the database's clock. */
export type BankCall = Selectable<BankCallTable> & { sent_ms_ago: number };

/** An answer that can be noted: to the call, or to an inquiry about it. */
export type CallAnswer =
  | AcquirerOutcome
  | CompletionOutcome
  | ReversalOutcome
  | Exclude<Verdict, { kind: "not_found" }>;

/** False for a call that was certainly not carried out. */
export function mayHaveLeft({ outcome }: Pick<BankCall, "outcome">): boolean {
  return outcome !== "not_sent";
}

/** True while only an inquiry can tell the call's outcome. */
export function isOpen({ answered_at }: Pick<BankCall, "answered_at">): boolean {
  return answered_at === null;
}

/** The call by which a payment's money may have been taken. */
export function chargeOf(calls: readonly BankCall[]): BankCall | undefined {
  return calls.findLast((call) => CHARGES.has(call.kind) && mayHaveLeft(call));
}

const CHARGES: ReadonlySet<string> = new Set(["enrol", "authorize", "sale"]);

/** True if the bank has approved a call: it, or an inquiry about it, was answered so. */
export function isApproved({ outcome, heard_at }: Pick<BankCall, "outcome" | "heard_at">): boolean {
  return outcome === "approved" || heard_at !== null;
}

/**
 * Combines an inquiry's verdict on a call with an approval that the bank gave before. A record that does not
 * show the approval lags behind it, however long, and a refusal under another name belongs to another call.
 * While the record shows no approval of a known amount, the outcome stays unknown.
 */
export function besideApproval(verdict: Verdict, call: BankCall | undefined): Verdict {
  if (!call || !isApproved(call)) return verdict;
  switch (verdict.kind) {
    case "approved":
      return isOther(verdict, call) ? MISMATCH : verdict;
    case "declined":
      if (verdict.externalTransactionId === (call.external_transaction_id ?? "")) return verdict;
      return approvalOf(call);
    case "not_found":
    case "expired":
      return approvalOf(call);
    default:
      return verdict;
  }
}

/** An order has one authorization or sale; a capture's name differs by bank. */
function isOther({ externalTransactionId: id }: Approved, { kind, external_transaction_id: said }: BankCall) {
  return CHARGES.has(kind) && id !== "" && said !== null && id.slice(0, NAME_LENGTH_MAX) !== said;
}

function approvalOf(call: BankCall): Verdict {
  if (call.outcome !== "approved") return PENDING;
  return {
    kind: "approved",
    amountMinor: call.approved_minor ?? call.amount_minor,
    currency: call.approved_currency ?? call.currency,
    externalTransactionId: call.external_transaction_id ?? "",
    authCode: call.auth_code ?? "",
    resultCode: call.result_code ?? "",
    resultMessage: call.result_message ?? "",
  };
}

/** The time since the last of these calls that may have left; null if none has. */
export function lastSentMsAgo(calls: readonly Pick<BankCall, "outcome" | "sent_ms_ago">[]): number | null {
  return calls
    .filter(mayHaveLeft)
    .reduce<number | null>(
      (last, { sent_ms_ago }) => (last === null || sent_ms_ago < last ? sent_ms_ago : last),
      null,
    );
}

/**
 * True if a call may still take effect at the bank.
 * @param sentMsAgo the time since it was sent; null if it certainly was not.
 * @param horizonMs see `AccountTerms`.
 */
export function mayStillArrive(sentMsAgo: number | null, horizonMs: number): boolean {
  return sentMsAgo !== null && sentMsAgo <= horizonMs;
}

/**
 * The names that identify a movement among the order's movements: see `Names`.
 * @param own the movement's calls.
 * @param others the names of other movements.
 */
export function namesFor(
  own: readonly Pick<BankCall, "outcome" | "heard_at" | "names_before" | "external_transaction_id">[],
  others: readonly string[],
): Names {
  const first = own.find(mayHaveLeft);
  const said = own.find((call) => isApproved(call) && call.external_transaction_id !== null);
  return {
    // A movement that the record showed before anything was sent does not belong to this one either.
    others: [...new Set([...others, ...((!first && own.at(-1)?.names_before) || [])])],
    ...(first?.names_before && { before: first.names_before }),
    ...(said && { own: said.external_transaction_id! }),
  };
}

/**
 * The calls whose approval creates something that follow-ups name. A follow-up may get that name again as its
 * own.
 */
const TARGETS: ReadonlySet<CallKind> = new Set(["enrol", "authorize", "sale", "capture"]);

type CallToName = Pick<BankCall, "number" | "kind" | "account_id" | "movement_id">;
type NamedCall = CallToName &
  Pick<BankCall, "outcome" | "heard_at" | "external_transaction_id" | "names_before">;

/**
 * The name that an approval gives a movement. `own`: no other movement of the payment at the account has it. `shared`: it is
 * that of what the movement is about, or another call of the same movement has it. `taken`: it is another movement's, so
 * that the answer may be another's: of another call, or of what the order had before the movement was sent. A refund is about
 * what it pays back only where it was carried out by a void.
 */
export function nameGiven(
  call: CallToName,
  { name, asVoid = false }: { name: string; asVoid?: boolean | undefined },
  calls: readonly NamedCall[],
  { sharesNameOn }: Pick<Capabilities, "sharesNameOn">,
): "own" | "shared" | "taken" {
  const isSame = (other: NamedCall) => other.movement_id === call.movement_id && other.kind === call.kind;
  const before = calls.find((other) => isSame(other) && mayHaveLeft(other))?.names_before;
  if (before?.includes(name)) return "taken";
  const namesakes = calls.filter(
    (other) =>
      other.number !== call.number &&
      other.account_id === call.account_id &&
      isApproved(other) &&
      other.external_transaction_id === name,
  );
  if (namesakes.length === 0) return "own";
  const mayShare = sharesNameOn.some((kind) => kind === call.kind) && (call.kind !== "refund" || asVoid);
  return namesakes.every((other) => isSame(other) || (mayShare && TARGETS.has(other.kind)))
    ? "shared"
    : "taken";
}

/** The time until which one of these calls may still take effect; undefined if none may. */
export function arrivesUntil(
  calls: readonly Pick<BankCall, "answered_at" | "outcome" | "sent_ms_ago">[],
  horizonMs: number,
  nowMs: number,
): Date | undefined {
  const sentMsAgo = lastSentMsAgo(calls.filter(isOpen));
  if (sentMsAgo === null || !mayStillArrive(sentMsAgo, horizonMs)) return undefined;
  // A whole second, and one that is over by any of our clocks.
  return new Date(Math.ceil((nowMs + horizonMs - sentMsAgo) / 1_000 + 1) * 1_000);
}

/**
 * The answer to a movement that would give back money which a chargeback has taken: nothing is sent, so that
 * the buyer is not paid twice.
 * @param own the movement's calls: one that was sent before the chargeback may still be carried out, or was.
 */
export function answerToChargedBack(
  own: readonly Pick<BankCall, "answered_at" | "outcome" | "heard_at" | "sent_ms_ago">[],
  horizonMs: number,
  nowMs: number,
): typeof CHARGED_BACK | Unknown {
  const mayBeDone = own.some(isApproved) || arrivesUntil(own, horizonMs, nowMs) !== undefined;
  return mayBeDone ? PENDING : CHARGED_BACK;
}

const CHARGED_BACK = {
  kind: "declined",
  resultCode: CHARGED_BACK_RESULT,
  resultMessage: "The payment was charged back: the bank has given the money to the buyer.",
} as const;

/** The last sending of a movement, and the horizon of its account. */
export type Sending = { sentMsAgo: number | null; horizonMs: number };

/**
 * The outcome of a movement; or that it has to be sent again, under the same reference or the next one; or
 * that it must not be sent again yet, since the first call may still arrive.
 */
export type MovementOutcome =
  | Exclude<AcquirerOutcome, Expired>
  | "repeat"
  | "repeat_under_new_reference"
  | "wait";

/**
 * The outcome of a movement by an inquiry. A movement that the bank has not seen is sent again only if a
 * repetition cannot be carried out in addition to the first call: otherwise one of two calls could be
 * declined while the other one pays.
 * @param asked the requested amount. Another amount under our reference needs an operator.
 */
export function movementOutcome(
  inquiry: Verdict,
  asked: AcquirerAmount,
  { sentMsAgo, horizonMs }: Sending,
  { repetition }: Pick<Capabilities, "repetition">,
): MovementOutcome {
  switch (inquiry.kind) {
    case "approved": {
      const same = inquiry.amountMinor === asked.amountMinor && inquiry.currency === asked.currency;
      return same ? inquiry : MISMATCH;
    }
    case "not_found":
      return repetition === "replay" || !mayStillArrive(sentMsAgo, horizonMs) ? "repeat" : "wait";
    case "expired":
      return "repeat_under_new_reference";
    case "reversed":
      return MISMATCH;
    case "declined":
    case "unknown":
    case "not_sent":
      return inquiry;
    default:
      return inquiry satisfies never;
  }
}

type AnswerColumns = Pick<
  BankCallTable,
  | "outcome"
  | "external_transaction_id"
  | "auth_code"
  | "result_code"
  | "result_message"
  | "approved_minor"
  | "approved_currency"
> & { outcome: CallOutcome };

/** A call's columns of an answer. @param asked the amount that was requested. */
export function answerColumns(
  answer: CallAnswer,
  asked: Pick<BankCall, "amount_minor" | "currency">,
): AnswerColumns {
  switch (answer.kind) {
    case "approved":
      return { ...approvalColumns(answer, asked), outcome: "approved" };
    case "declined":
    case "settled":
    case "refused":
      return {
        ...NOTHING_SAID,
        outcome: answer.kind,
        external_transaction_id:
          "externalTransactionId" in answer ? (answer.externalTransactionId ?? null) : null,
        result_code: answer.resultCode,
        result_message: answer.resultMessage,
      };
    case "unknown":
      return {
        ...(answer.heard ? approvalColumns(answer.heard, asked) : NOTHING_SAID),
        outcome: "unknown",
        result_code: answer.reason,
      };
    case "not_sent":
      return { ...NOTHING_SAID, outcome: "not_sent", result_code: answer.reason ?? null };
    case "not_genuine":
      return { ...NOTHING_SAID, outcome: "not_sent", result_code: answer.why };
    case "expired":
    case "reversed":
    case "nothing_found":
      return { ...NOTHING_SAID, outcome: answer.kind };
    default:
      return answer satisfies never;
  }
}

/** The approval in an answer, also in one that leaves its outcome unknown. */
export function approvalIn(answer: CallAnswer): Approved | undefined {
  if (answer.kind === "approved") return answer;
  return answer.kind === "unknown" ? answer.heard : undefined;
}

/** The bank's name of the movement that it approved; null if the bank gives it none. */
export function nameIn({ externalTransactionId }: { externalTransactionId: string }): string | null {
  return externalTransactionId.slice(0, NAME_LENGTH_MAX) || null;
}

function approvalColumns(
  approval: Approved,
  asked: Pick<BankCall, "amount_minor" | "currency">,
): Omit<AnswerColumns, "outcome"> {
  const { amountMinor, currency, authCode, resultCode, resultMessage } = approval;
  const same = amountMinor === asked.amount_minor && currency === asked.currency;
  return {
    ...NOTHING_SAID,
    // A bank may have no name of its own for it.
    external_transaction_id: nameIn(approval),
    auth_code: authCode,
    result_code: resultCode,
    result_message: resultMessage,
    ...(!same && amountMinor > 0n && { approved_minor: amountMinor, approved_currency: currency }),
  };
}

const NAME_LENGTH_MAX = 64;
const NOTHING_SAID = {
  external_transaction_id: null,
  auth_code: null,
  result_code: null,
  result_message: null,
  approved_minor: null,
  approved_currency: null,
};
