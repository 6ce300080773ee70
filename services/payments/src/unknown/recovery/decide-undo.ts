import {
  retryHintOf,
  type AcquirerOutcome,
  type Expired,
  type Verdict,
  type ReversalOutcome,
} from "@holdfast/acquirer";
import type { AccountTerms } from "../../bank/account/account-terms.ts";
import type { BankSaid } from "./reversal-queries.ts";

/** The end of an attempt: the money is back, was never taken or has never been seen, or it is tried again. */
export type UndoResult =
  | { kind: "undone"; by: "reversal" | "refund" }
  /** The bank had not seen it until the horizon. That is a decision and no knowledge, so it is looked at once more. */
  | { kind: "undone"; by: "horizon" }
  | { kind: "wait"; cause: string; next?: "now"; notBefore?: Date };

/** The consequence of an answer of the bank; everything but the result is committed before it counts. */
export type UndoDecision = {
  result: UndoResult;
  note?: BankSaid;
  /** Operators are told that the bank has refused. */
  refusal?: { kind: string; resultCode: string; resultMessage: string };
};

/**
 * True where an inquiry already says that nothing has to be given back, and nothing more can come under that reference.
 */
export function isUndone({ kind }: Verdict): boolean {
  return kind === "reversed" || kind === "declined" || kind === "expired";
}

/** True where this reversal may take effect later, for all that is known: only if it was sent and not answered. */
export function mayStillArrive({ kind }: ReversalOutcome): boolean {
  return kind === "unknown";
}

/**
 * @param ageMs of the payment, see `LeasedPayment`.
 * @param terms where the bank binds nothing: what it has not seen by the horizon is taken for what it will never see.
 * @param isUnseen whether the bank has said, before the reversal, that it does not know the payment. One that it has accepted and
 * not decided on is known to it although there is nothing to reverse, and an inquiry without an answer decides nothing.
 */
export function decideAfterReversal(
  reversal: ReversalOutcome,
  ageMs: number,
  { horizonMs }: Pick<AccountTerms, "horizonMs">,
  isUnseen: boolean,
): UndoDecision {
  switch (reversal.kind) {
    case "reversed":
      return { result: { kind: "undone", by: "reversal" } };
    case "nothing_found":
      return ageMs < horizonMs || !isUnseen
        ? { result: { kind: "wait", cause: "nothing_found" } }
        : { result: { kind: "undone", by: "horizon" } };
    case "settled":
      return {
        result: { kind: "wait", cause: "reversal_settled", next: "now" },
        note: { sent: true, settled: true },
        refusal: reversal,
      };
    case "refused":
      return {
        result: { kind: "wait", cause: "reversal_refused" },
        note: { sent: true, refusal: reversal },
        refusal: reversal,
      };
    case "unknown":
      return { result: { kind: "wait", cause: `reversal_${reversal.reason}` }, note: { sent: true } };
    case "not_sent":
      return { result: { kind: "wait", ...retryHintOf(reversal) } };
    default:
      return reversal satisfies never;
  }
}

/** Decides on the answer about the refund of a settled charge, to its call or to an inquiry. */
export function decideAfterRefund(outcome: AcquirerOutcome | Expired): UndoDecision {
  switch (outcome.kind) {
    case "approved":
      return { result: { kind: "undone", by: "refund" } };
    case "declined":
      return {
        result: { kind: "wait", cause: "refund_declined" },
        note: { refusal: outcome },
        refusal: outcome,
      };
    case "expired":
      return { result: { kind: "wait", cause: "refund_expired", next: "now" } };
    case "unknown":
      return { result: { kind: "wait", cause: `refund_${outcome.reason}` } };
    case "not_sent":
      return { result: { kind: "wait", ...retryHintOf(outcome) } };
    default:
      return outcome satisfies never;
  }
}
