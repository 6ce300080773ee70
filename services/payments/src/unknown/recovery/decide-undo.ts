import {
  retryHintOf,
  type AcquirerOutcome,
  type Expired,
  type Verdict,
  type ReversalOutcome,
} from "@holdfast/acquirer";
import { CHARGED_BACK_RESULT } from "@holdfast/contracts";
import type { AccountTerms } from "../../bank/account/account-terms.ts";
import type { HoldShown } from "../../bank/ledger/ask-about.ts";
import { mayStillArrive, type BankCall } from "../../bank/ledger/bank-call.ts";
import { expiryAfterDecline, type AfterDeclinedExpiry } from "../../follow-up/operation/payment-operation.ts";

/** The end of an attempt: the money is back, was never taken or has never been seen, or it is tried again. */
export type UndoResult =
  /**
   * `horizon`: the bank had not seen it by then. `isUnshown`: that is a decision without proof, or the bank's
   * record did not show the reversed movement, so it is inquired about once more.
   */
  | { kind: "undone"; by: "reversal" | "refund" | "horizon"; isUnshown?: true }
  /** `isChargedBack`: nothing was sent, since a chargeback has given the buyer the money. */
  | { kind: "wait"; cause: string; next?: "now"; notBefore?: Date; isChargedBack?: boolean };

/** The consequence of an answer of the bank, which is noted already. */
export type UndoDecision = {
  result: UndoResult;
  /** Operators are told that the bank has refused. */
  refusal?: { kind: string; resultCode: string; resultMessage: string };
};

/**
 * True if an inquiry already says that nothing has to be given back, and nothing more can arrive under that
 * reference.
 */
export function isUndone({ kind }: Verdict): boolean {
  return kind === "reversed" || kind === "declined" || kind === "expired";
}

/**
 * @param ageMs the payment's age, see `LeasedPayment`.
 * @param terms at a bank that binds no reference, a payment that it has not seen by the horizon counts as
 * never seen.
 * @param isUnseen true if the bank has said, before the reversal, that it does not know the payment, or has
 * reversed it before. A payment that it has accepted and not decided is known to it, although there is
 * nothing to reverse. An inquiry without an answer decides nothing.
 */
export function decideAfterReversal(
  reversal: ReversalOutcome,
  ageMs: number,
  { horizonMs }: Pick<AccountTerms, "horizonMs">,
  isUnseen: boolean,
): UndoDecision {
  switch (reversal.kind) {
    case "reversed":
      if (!reversal.isHidden) return { result: { kind: "undone", by: "reversal" } };
      return mayStillArrive(ageMs, horizonMs)
        ? { result: { kind: "wait", cause: "reversal_not_shown" } }
        : { result: { kind: "undone", by: "reversal", isUnshown: true } };
    case "nothing_found":
      return mayStillArrive(ageMs, horizonMs) || !isUnseen
        ? { result: { kind: "wait", cause: "nothing_found" } }
        : { result: { kind: "undone", by: "horizon", isUnshown: true } };
    case "settled":
      return {
        result: { kind: "wait", cause: "reversal_settled", next: "now" },
        refusal: reversal,
      };
    case "refused":
      return {
        result: { kind: "wait", cause: "reversal_refused" },
        refusal: reversal,
      };
    case "unknown":
      return { result: { kind: "wait", cause: `reversal_${reversal.reason}` } };
    case "not_sent":
      return { result: { kind: "wait", ...retryHintOf(reversal) } };
    default:
      return reversal satisfies never;
  }
}

/**
 * Decides on the answer about the refund of a settled charge, to its call or to an inquiry.
 * @param subReference a bank that continues calling it late, its clock being off, is asked by the schedule.
 */
export function decideAfterRefund(outcome: AcquirerOutcome | Expired, subReference: number): UndoDecision {
  switch (outcome.kind) {
    case "approved":
      return { result: { kind: "undone", by: "refund" } };
    case "declined":
      return {
        result: {
          kind: "wait",
          cause: "refund_declined",
          ...(outcome.resultCode === CHARGED_BACK_RESULT && { isChargedBack: true }),
        },
        refusal: outcome,
      };
    case "expired":
      return {
        result: {
          kind: "wait",
          cause: "refund_expired",
          ...(subReference === 1 && { next: "now" as const }),
        },
      };
    case "unknown":
      return { result: { kind: "wait", cause: `refund_${outcome.reason}` } };
    case "not_sent":
      return { result: { kind: "wait", ...retryHintOf(outcome) } };
    default:
      return outcome satisfies never;
  }
}

/**
 * Decides on an authorization that the bank has shown late, and whose reversal it refuses after the day: it lapses by
 * itself as an expired one does, see `expiryAfterDecline`.
 * @returns undefined if the record does not show a hold alone.
 */
export function decideAfterRefusedHold(
  hold: HoldShown,
  calls: readonly Pick<BankCall, "kind" | "outcome">[],
): AfterDeclinedExpiry | undefined {
  if (hold !== "standing") return undefined;
  const declines = calls.filter(({ kind, outcome }) => kind === "reverse" && outcome === "refused").length;
  return expiryAfterDecline({
    declines,
    hold,
    captureMayArrive: false,
    isDayOver: true,
    isTooLate: false,
  });
}
