import { waitFor, type Verdict } from "@holdfast/acquirer";
import { failpoint, nextAttemptInMs } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { Bank } from "../../bank/calls/bank.ts";
import { askAboutCharge } from "../../bank/ledger/ask-about.ts";
import { chargeOf } from "../../bank/ledger/bank-call.ts";
import { findCalls } from "../../bank/ledger/call-queries.ts";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { recoverOperation } from "../../follow-up/operation/recover-operation.ts";
import { findOperation, type PaymentInOperation } from "../../follow-up/operation/operation-queries.ts";
import {
  IN_REVIEW,
  ORDER_PAID,
  REJECTED_BY_REVIEW,
  REVIEW_REJECTED,
  conclude,
  type ReviewShown,
  type FinalOutcome,
} from "../../payment/authorization-outcome.ts";
import { postpone, startReversal, type LeasedPayment } from "../../payment/payment-lease.ts";
import type { PaymentWrites } from "../../payment/payment-writes.ts";
import { endOfReversal, isBeingReversed, reversalState } from "../../payment/payment.ts";
import { storeAuthentication } from "../../accept/three-ds/store-authentication.ts";
import {
  ABANDONED,
  decideRecovery,
  NOT_SEEN,
  NOT_SEEN_CAUSE,
  REFUNDED,
  REVERSED,
  REVERSED_CAUSE,
  type RecoveryLimits,
} from "./decide-recovery.ts";
import type { UndoResult } from "./decide-undo.ts";
import { undoPayment } from "./undo-payment.ts";

/**
 * Settles one payment of unknown outcome: asks the acquirer about our reference, and adopts, fails or
 * reverses the payment. The decision to reverse is committed before the first reversal is sent, and is final.
 * The money is then given back, over as many attempts as it takes. Only then is the payment FAILED, or
 * CANCELLED if its cardholder never came back from the challenge. The authorization itself is never repeated:
 * the cvv is gone.
 */
export type RecoverDeps = {
  db: Kysely<PaymentsDatabase>;
  writes: PaymentWrites;
  /** An attempt makes two of its calls, and must end before its lease does. */
  bank: Bank;
  events: BusinessEvents;
  limits: RecoveryLimits;
  /** True if money may be moved. A merchant's read only inquires, and leaves the rest to the worker. */
  maySend: boolean;
  now: () => number;
};

/** The end of an attempt; `lost` when another process had taken the payment over. */
export type RecoveryResult = "concluded" | "waiting" | "lost";

export async function recoverPayment(deps: RecoverDeps, payment: LeasedPayment): Promise<RecoveryResult> {
  if (isInOperation(payment)) return await recoverOperation(deps, payment);
  if (isBeingReversed(payment.state)) return await undo(deps, payment);
  // The challenge was never shown, and the card is gone: there is nothing to wait for.
  if (payment.state === "ENROLLING") return await decideAgainst(deps, payment, "enrolment_unfinished");
  const calls = await findCalls(deps.db, payment.payment_id);
  const inquiry = await askAboutCharge(deps, payment, calls);
  await failpoint("payments.after_inquiry");
  await storeAuthentication(deps, payment, inquiry);
  const asked = {
    amountMinor: payment.amount_minor,
    currency: payment.currency,
    ageMs: payment.age_ms,
    abandoned: payment.state === "ENROLLED",
    inReview: payment.result_code === IN_REVIEW,
    heard: (chargeOf(calls)?.heard_at ?? null) !== null,
  };
  const decision = decideRecovery(asked, inquiry, deps.limits);
  switch (decision.action) {
    case "conclude":
      return await record(deps, payment, decision);
    case "reverse":
      if (decision.cause === "mismatch") deps.events.answerMismatched(payment);
      return await decideAgainst(deps, payment, decision.cause, inquiry);
    case "wait":
      return await wait(deps, payment, decision);
    default:
      return decision satisfies never;
  }
}

/** An attempt that throws is an attempt: it is counted, operators see it, and the next one is further away. */
export async function attemptRecovery(deps: RecoverDeps, payment: LeasedPayment): Promise<void> {
  try {
    await recoverPayment(deps, payment);
  } catch (error) {
    deps.events.recoveryFailed(payment, error);
    // A capture may be young on an authorization that is days old.
    const operation = isInOperation(payment) ? await findOperation(deps.db, payment.operation_id) : undefined;
    await wait(
      deps,
      { ...payment, age_ms: operation?.age_ms ?? payment.age_ms },
      { cause: "attempt_failed" },
    );
  }
}

/**
 * True if the unknown outcome belongs to a capture, cancellation or expiry, and not to the payment itself.
 */
export function isInOperation(payment: LeasedPayment): payment is LeasedPayment & PaymentInOperation {
  return payment.operation_id !== null;
}

async function decideAgainst(
  deps: RecoverDeps,
  payment: LeasedPayment,
  cause: string,
  inquiry?: Verdict,
): Promise<RecoveryResult> {
  if (!deps.maySend) return await wait(deps, payment, { cause, next: "now" });
  const reversing = await startReversal(deps.db, payment, cause);
  if (!reversing) return "lost";
  await failpoint("payments.after_reversal_decision");
  return await undo(deps, reversing, inquiry);
}

/**
 * One attempt to give back the money that the acquirer may have taken for a payment that has to be reversed.
 */
async function undo(deps: RecoverDeps, payment: LeasedPayment, inquiry?: Verdict): Promise<RecoveryResult> {
  const result = await undoPayment(deps, payment, inquiry);
  return result.kind === "undone"
    ? await record(deps, payment, endOf(payment, result))
    : await wait(deps, payment, result);
}

/** The end of a payment once the acquirer has no money of it. */
export function endOf(
  { state, result_code }: Pick<LeasedPayment, "state"> & Partial<Pick<LeasedPayment, "result_code">>,
  { by }: Extract<UndoResult, { kind: "undone" }>,
): FinalOutcome {
  const to = endOfReversal(reversalState(state));
  if (result_code === REVIEW_REJECTED && by !== "horizon")
    return { to, cause: REVIEW_REJECTED, result: REJECTED_BY_REVIEW };
  if (result_code === ORDER_PAID.resultCode) {
    const cause = by === "horizon" ? NOT_SEEN_CAUSE : ORDER_PAID.resultCode;
    return { to, cause, result: ORDER_PAID };
  }
  if (by === "refund") return { to, cause: "refunded", result: REFUNDED };
  if (by === "horizon") {
    return { to, cause: NOT_SEEN_CAUSE, result: to === "CANCELLED" ? ABANDONED : NOT_SEEN };
  }
  return { to, cause: REVERSED_CAUSE, result: to === "CANCELLED" ? ABANDONED : REVERSED };
}

async function record(
  deps: RecoverDeps,
  payment: LeasedPayment,
  final: FinalOutcome,
): Promise<RecoveryResult> {
  const { concluded, change } = conclude(payment, final, { keyed: true, at: deps.now() });
  if (!(await deps.writes.record(change))) return "lost";
  const { cause } = final;
  deps.events.unknownConcluded(concluded, {
    cause,
    ageMs: payment.age_ms,
    attempts: payment.recovery_attempts + 1,
  });
  return "concluded";
}

/**
 * Ends the lease until the schedule's next step, until the bank takes the call, or until the worker looks
 * next. A merchant's read never puts the worker off: one who polls would otherwise move the next step on,
 * until an approval is too old to be adopted.
 */
export async function wait(
  deps: Pick<RecoverDeps, "db" | "events" | "limits" | "maySend" | "now">,
  payment: LeasedPayment,
  { cause, next, notBefore, review }: { cause: string; next?: "now"; notBefore?: Date; review?: ReviewShown },
): Promise<RecoveryResult> {
  const attempts = payment.recovery_attempts + 1;
  const stepMs = nextAttemptInMs(payment.age_ms, deps.limits);
  const inMs = next === "now" ? 0 : waitFor(notBefore, { stepMs, now: deps.now() });
  const notAfter = deps.maySend ? null : payment.due_at;
  await postpone(deps.db, payment, { inMs, cause, notAfter, review });
  deps.events.stillUnknown(payment, { cause, ageMs: payment.age_ms, attempts });
  return "waiting";
}
