import type { ApiPaymentResponse, CommandReply } from "@holdfast/contracts";
import { failpoint } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { PaymentsDatabase } from "../../database.ts";
import {
  conclude,
  type AuthorizationDecision,
  type PaymentToConclude,
  type ReviewShown,
  type FinalOutcome,
} from "../../payment/authorization-outcome.ts";
import { paymentRecord } from "../../payment/payment-record.ts";
import type { PaymentWrites } from "../../payment/payment-writes.ts";
import { noteHeard } from "../../bank/ledger/call-queries.ts";
import { postpone, startReversal } from "../../payment/payment-lease.ts";
import { currentState } from "./answer-known-payment.ts";

export type ConcludeDeps = {
  db: Kysely<PaymentsDatabase>;
  writes: PaymentWrites;
  events: BusinessEvents;
  /** `firstInquiryMs` is the time from the claim to the first inquiry about a payment of unknown outcome. */
  limits: { firstInquiryMs: number };
  /** Epoch milliseconds. */
  now: () => number;
};

/** The payment as it is: final with `done`, of unknown outcome with `pending`. */
export type ConcludedReply = Extract<CommandReply<ApiPaymentResponse>, { result: unknown }>;

/**
 * Records a known outcome under our lease, and leaves an unknown one to recovery. From here on the acquirer may have been
 * reached: whatever happens, the answer is the payment, never an error.
 *
 * @param keyed whether it may have been claimed under an Idempotency-Key.
 */
export async function concludeAuthorization(
  deps: ConcludeDeps,
  payment: PaymentToConclude,
  decision: AuthorizationDecision,
  { keyed }: { keyed: boolean },
): Promise<ConcludedReply> {
  switch (decision.to) {
    case "UNKNOWN":
    case "REVERSING":
      return await leaveToRecovery(deps, payment, decision);
    case "SUCCESS":
    case "FAILED":
    case "CANCELLED":
      return await record(deps, payment, decision, { keyed });
    default:
      return decision satisfies never;
  }
}

async function record(
  deps: ConcludeDeps,
  payment: PaymentToConclude,
  final: FinalOutcome,
  { keyed }: { keyed: boolean },
): Promise<ConcludedReply> {
  const { concluded, change } = conclude(payment, final, { keyed, at: deps.now() });
  const notKnown: ConcludedReply = { outcome: "pending", result: paymentRecord(payment) };
  try {
    if (await deps.writes.record(change)) {
      await failpoint("payments.after_record");
      deps.events.paymentRecorded(concluded, final.cause);
      return { outcome: "done", result: paymentRecord(concluded) };
    }
    // Our lease ran out and another process concluded the payment: its record is the truth.
    return (await currentState(deps, payment)) ?? notKnown;
  } catch (error) {
    deps.events.writeFailed("record", payment, error);
    return notKnown;
  }
}

/**
 * Commits the decision to reverse if there is one, and ends the lease so that recovery need not wait for its
 * end.
 */
async function leaveToRecovery(
  deps: ConcludeDeps,
  payment: PaymentToConclude,
  decision: Extract<AuthorizationDecision, { to: "UNKNOWN" | "REVERSING" }>,
): Promise<ConcludedReply> {
  const { to, cause, heard } = decision;
  const review = to === "UNKNOWN" ? decision.review : undefined;
  deps.events.outcomeUnknown(payment, cause);
  const since = payment.recovery_from ?? payment.created_at;
  const sinceMs = Math.max(0, deps.now() - since.getTime());
  const inMs = to === "REVERSING" ? 0 : Math.max(0, deps.limits.firstInquiryMs - sinceMs);
  try {
    if (heard) await noteHeard(deps.db, payment.payment_id, heard);
    await failpoint("payments.after_heard");
    if (to === "REVERSING") await startReversal(deps.db, payment, cause);
    const isPostponed = await postpone(deps.db, payment, { inMs, cause, review });
    if (review && isPostponed)
      return { outcome: "pending", result: paymentRecord(inReview(payment, review)) };
  } catch (error) {
    deps.events.writeFailed("postpone", payment, error);
  }
  return { outcome: "pending", result: paymentRecord(payment) };
}

function inReview(payment: PaymentToConclude, review: ReviewShown): PaymentToConclude {
  return {
    ...payment,
    external_transaction_id: review.externalTransactionId,
    result_code: review.resultCode,
    result_message: review.resultMessage,
  };
}
