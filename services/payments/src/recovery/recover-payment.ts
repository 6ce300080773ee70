/**
 * Settles one payment of unknown outcome: asks the acquirer about our reference, and adopts, fails or reverses the
 * payment. The decision to reverse is committed before the first reversal is sent and is final; the reversal is then
 * repeated, over as many attempts as it takes, until the acquirer acknowledges it, and only then is the payment FAILED,
 * or CANCELLED where its cardholder never came back from the challenge. The authorization itself is never repeated: the
 * cvv is gone.
 */
import type { Acquirer } from "@holdfast/acquirer";
import { failpoint, nextAttemptInMs } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { PaymentsDatabase } from "../database.ts";
import { recoverOperation } from "../operation/recover-operation.ts";
import type { OperatedPayment } from "../operation/operation-queries.ts";
import { endOfReversal, reversalState } from "../payment/payment.ts";
import type { PaymentWrites } from "../payment/payment-writes.ts";
import { settle, type Settlement } from "../payment/authorization-outcome.ts";
import { keepAuthentication } from "../three-ds/keep-authentication.ts";
import { ABANDONED, decideRecovery, REVERSED, type RecoveryLimits } from "./decide-recovery.ts";
import { postpone, startReversal, type LeasedPayment } from "../payment/payment-lease.ts";

export type RecoverDeps = {
  db: Kysely<PaymentsDatabase>;
  writes: PaymentWrites;
  acquirer: Acquirer;
  events: BusinessEvents;
  limits: RecoveryLimits;
  /** Bound of one acquirer call; with two calls an attempt must end before its lease does. */
  acquirerTimeoutMs: number;
  now: () => number;
};

/** How an attempt ended; `lost` when another process had taken the payment over. */
export type RecoveryResult = "settled" | "waiting" | "lost";

export async function recoverPayment(deps: RecoverDeps, payment: LeasedPayment): Promise<RecoveryResult> {
  if (isOperated(payment)) return await recoverOperation(deps, payment);
  if (payment.state === "REVERSING" || payment.state === "CANCELLING") return await reverse(deps, payment);
  // The challenge was never shown, and the card is gone: there is nothing to wait for.
  if (payment.state === "ENROLLING") return await decideAgainst(deps, payment, "enrolment_unfinished");
  const inquiry = await deps.acquirer.inquire({ reference: payment.payment_id, expiresAt: expiry(deps) });
  await failpoint("payments.after_inquiry");
  await keepAuthentication(deps, payment, inquiry);
  const asked = {
    amountMinor: payment.amount_minor,
    currency: payment.currency,
    ageMs: payment.age_ms,
    abandoned: payment.state === "ENROLLED",
  };
  const decision = decideRecovery(asked, inquiry, deps.limits);
  switch (decision.action) {
    case "settle":
      return await record(deps, payment, decision);
    case "reverse":
      return await decideAgainst(deps, payment, decision.cause);
    case "wait":
      return await wait(deps, payment, decision.cause);
    default:
      return decision satisfies never;
  }
}

/** Whether the unknown outcome is that of a capture, cancellation or expiry, and not of the payment itself. */
export function isOperated(payment: LeasedPayment): payment is LeasedPayment & OperatedPayment {
  return payment.operation_id !== null;
}

async function decideAgainst(
  deps: RecoverDeps,
  payment: LeasedPayment,
  cause: string,
): Promise<RecoveryResult> {
  if (!(await startReversal(deps.db, payment, cause))) return "lost";
  await failpoint("payments.after_reversal_decision");
  return await reverse(deps, { ...payment, state: reversalState(payment.state) });
}

async function reverse(deps: RecoverDeps, payment: LeasedPayment): Promise<RecoveryResult> {
  const reversal = await deps.acquirer.reverse({
    reference: payment.payment_id,
    amountMinor: payment.amount_minor,
    currency: payment.currency,
    expiresAt: expiry(deps),
  });
  await failpoint("payments.after_reversal");
  switch (reversal.kind) {
    case "reversed":
      return await record(deps, payment, reversed(payment));
    case "refused":
      return await wait(deps, payment, "reversal_refused");
    case "unknown":
      return await wait(deps, payment, `reversal_${reversal.reason}`);
    case "not_sent":
      return await wait(deps, payment, "acquirer_unavailable");
    default:
      return reversal satisfies never;
  }
}

function reversed({ state }: LeasedPayment): Settlement {
  const to = endOfReversal(reversalState(state));
  return { to, cause: "reversed", result: to === "CANCELLED" ? ABANDONED : REVERSED };
}

async function record(
  deps: RecoverDeps,
  payment: LeasedPayment,
  settlement: Settlement,
): Promise<RecoveryResult> {
  const { settled, change } = settle(payment, settlement, { keyed: true });
  if (!(await deps.writes.record(change))) return "lost";
  const { cause } = settlement;
  deps.events.unknownSettled(settled, {
    cause,
    ageMs: payment.age_ms,
    attempts: payment.recovery_attempts + 1,
  });
  return "settled";
}

async function wait(deps: RecoverDeps, payment: LeasedPayment, cause: string): Promise<RecoveryResult> {
  const attempts = payment.recovery_attempts + 1;
  await postpone(deps.db, payment, { inMs: nextAttemptInMs(payment.age_ms, deps.limits), cause });
  deps.events.stillUnknown(payment, { cause, ageMs: payment.age_ms, attempts });
  return "waiting";
}

function expiry({ now, acquirerTimeoutMs }: RecoverDeps): Date {
  return new Date(now() + acquirerTimeoutMs);
}
