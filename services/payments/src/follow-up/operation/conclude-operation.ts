import { businessDayEnd, retryHintOf, waitFor, type Declined } from "@holdfast/acquirer";
import type { ApiPaymentResponse, CommandReply } from "@holdfast/contracts";
import { nextAttemptInMs } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { Bank } from "../../bank/calls/bank.ts";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { postpone } from "../../payment/payment-lease.ts";
import { findCalls } from "../../bank/ledger/call-queries.ts";
import { askAboutHold } from "../../bank/ledger/ask-about.ts";
import { chargedAt } from "../../bank/ledger/attempts.ts";
import { isOpen, lastSentMsAgo, mayStillArrive } from "../../bank/ledger/bank-call.ts";
import type { Sent } from "../../bank/ledger/movement.ts";
import { paymentRecord } from "../../payment/payment-record.ts";
import {
  countExpiries,
  finishOperation,
  pendingOperation,
  type PaymentInOperation,
  type Operation,
  type OperationEnd,
} from "./operation-queries.ts";
import { expiryAfterDecline } from "./payment-operation.ts";

export type ConcludeOperationDeps = {
  db: Kysely<PaymentsDatabase>;
  bank: Bank;
  events: BusinessEvents;
  /** Times of the inquiries about an operation of unknown outcome. */
  limits: { scheduleMs: readonly number[] };
  now: () => number;
};

type Reply = CommandReply<ApiPaymentResponse>;
type Decline = Pick<Declined, "resultCode" | "resultMessage" | "isTooLate">;

/**
 * Records an operation's known outcome under our lease, and leaves an unknown one to recovery. The bank gets
 * no expiry: an operation that a merchant got an answer for is carried out however late the acquirer reads
 * it.
 */
export async function concludeOperation(
  deps: ConcludeOperationDeps,
  payment: PaymentInOperation,
  operation: Operation,
  { outcome, subReference }: Sent,
): Promise<Reply> {
  switch (outcome.kind) {
    case "approved":
      return await endOperation(deps, payment, operation, { state: "DONE", ...resultOf(outcome) });
    case "declined":
      return await endOperation(
        deps,
        payment,
        operation,
        await endOfDecline(deps, payment, operation, outcome),
      );
    case "expired":
      // Only an inquiry tells whether something was carried out under this reference, so it is made now. If
      // the bank's wrong clock calls every request late, later inquiries follow the schedule.
      return await leaveToRecovery(deps, payment, operation, "expired", {
        ...(subReference === 1 && { inMs: 0 }),
      });
    case "unknown":
      return await leaveToRecovery(deps, payment, operation, outcome.reason);
    case "not_sent": {
      const { cause, ...when } = retryHintOf(outcome);
      return await leaveToRecovery(deps, payment, operation, cause, when);
    }
    default:
      return outcome satisfies never;
  }
}

/**
 * The end of an operation that the bank declined. A bank also declines to cancel an authorization that it has
 * captured. Before a declined expiry counts as done, the bank is therefore asked about a capture.
 */
export async function endOfDecline(
  deps: Pick<ConcludeOperationDeps, "db" | "bank" | "now" | "events">,
  payment: PaymentInOperation,
  operation: Operation,
  { resultCode, resultMessage, isTooLate }: Decline,
): Promise<Extract<OperationEnd, { state: "DECLINED" }>> {
  const end = { state: "DECLINED", resultCode, resultMessage } as const;
  if (operation.kind !== "EXPIRY") return end;
  const calls = await findCalls(deps.db, payment.payment_id);
  const openCaptures = calls.filter((call) => call.kind === "capture" && isOpen(call));
  const { businessDay, horizonMs } = deps.bank.termsOf(payment.account_id);
  const hold = await askAboutHold(deps, payment, calls);
  const expiry = expiryAfterDecline({
    declines: (await countExpiries(deps.db, payment.payment_id, "DECLINED")) + 1,
    hold,
    captureMayArrive: mayStillArrive(lastSentMsAgo(openCaptures), horizonMs),
    isDayOver: deps.now() >= businessDayEnd(chargedAt(payment), businessDay).getTime(),
    isTooLate: isTooLate === true,
  });
  if (hold === "captured") deps.events.capturedUnasked(payment);
  if ("end" in expiry && expiry.end === "lapses") deps.events.holdStands(payment, "expired");
  return { ...end, expiry };
}

function resultOf({ resultCode, resultMessage }: { resultCode: string; resultMessage: string }) {
  return { resultCode, resultMessage };
}

/** Records the end; `pending` where that failed or our lease is over, since recovery then settles it. */
export async function endOperation(
  deps: ConcludeOperationDeps,
  payment: PaymentInOperation,
  operation: Operation,
  end: OperationEnd,
): Promise<Reply> {
  const notKnown = pendingReply(payment, operation);
  try {
    const finish = deps.db.transaction().execute((trx) => finishOperation(trx, payment, operation, end));
    const reply = await finish;
    deps.events.operationEnded(payment, operation.kind, reply === undefined ? "lost" : end.state);
    return reply ?? notKnown;
  } catch (error) {
    deps.events.writeFailed("record", payment, error);
    return notKnown;
  }
}

function pendingReply(payment: PaymentInOperation, operation: Operation): Reply {
  const record = paymentRecord({ ...payment, last_operation: pendingOperation(operation) });
  return { outcome: "pending", result: record };
}

/**
 * Ends the lease until the schedule's next step, until the bank takes the call (`notBefore`), or until `inMs`
 * have passed, and in any case until `notAfter`.
 */
export async function leaveToRecovery(
  deps: ConcludeOperationDeps,
  payment: PaymentInOperation,
  operation: Operation,
  cause: string,
  { inMs, notBefore, notAfter = null }: { inMs?: number; notBefore?: Date; notAfter?: Date | null } = {},
): Promise<Reply> {
  const ageMs = Math.max(0, deps.now() - operation.created_at.getTime());
  deps.events.operationUnknown(payment, operation.kind, {
    cause,
    ageMs,
    attempts: payment.recovery_attempts + 1,
  });
  try {
    const stepMs = nextAttemptInMs(ageMs, deps.limits);
    const waitMs = inMs ?? waitFor(notBefore, { stepMs, now: deps.now() });
    await postpone(deps.db, payment, { inMs: waitMs, cause, notAfter });
  } catch (error) {
    deps.events.writeFailed("postpone", payment, error);
  }
  return pendingReply(payment, operation);
}
