import type { Ending } from "./carry-out.ts";
import type {
  Call,
  NotStarted,
  OperationOutcome,
  PaymentOutcome,
  ThreeDsOutcome,
  Unknown,
} from "./outcomes.ts";
import type { Payment, ThreeDsPayment } from "./payment-records.ts";

/** Derives a call's outcome from the record's own status, not from the status of the answer. */
type Called = { ending: Ending; call: Call };

/** The outcome of a payment without a challenge. */
export function paymentOutcome({ ending, call }: Called): PaymentOutcome {
  if (ending.kind !== "done") return unfinished(ending, call);
  const payment = ending.body as Payment;
  const { replayed } = ending;
  const end = endOf(payment);
  if (end === undefined) return { outcome: "unknown", paymentId: payment.paymentId, payment, ...call };
  return { outcome: end, payment, replayed, ...call };
}

/** The outcome of a payment that may have a challenge. */
export function threeDsOutcome(called: Called): ThreeDsOutcome {
  const { ending, call } = called;
  if (ending.kind !== "done") return unfinished(ending, call);
  const payment = ending.body as ThreeDsPayment;
  const { redirectUrl, htmlContent, expiresAt } = payment;
  if (payment.status !== "ENROLLED" || redirectUrl === undefined) return paymentOutcome(called);
  const challenge = {
    redirectUrl,
    ...(htmlContent !== undefined && { htmlContent }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  return { outcome: "challenge", payment, challenge, replayed: ending.replayed, ...call };
}

/** The outcome of a capture or a cancellation. */
export function operationOutcome({ ending, call }: Called): OperationOutcome {
  if (ending.kind === "done") {
    const payment = ending.body as Payment;
    return ending.pending
      ? { outcome: "unknown", paymentId: payment.paymentId, payment, ...call }
      : { outcome: "done", payment, replayed: ending.replayed, ...call };
  }
  // The bank was asked and declined: that is an end, and the payment is as it was.
  if (ending.kind === "not_started" && ending.error.code === "acquirer_declined") {
    return { outcome: "declined", error: ending.error, ...call };
  }
  return unfinished(ending, call);
}

/** A call that ended without a record. */
export function unfinished(
  ending: Exclude<Ending, { kind: "done" }>,
  call: Call,
): NotStarted | Unknown<object> {
  if (ending.kind === "not_started") return { outcome: "not_started", error: ending.error, ...call };
  const { error, paymentId } = ending;
  return { outcome: "unknown", error, ...(paymentId !== undefined && { paymentId }), ...call };
}

/** The final outcome of a payment or a refund; undefined while it is open, or has a status of a later gateway. */
export function endOf({ status, lastOperation }: Payment): "done" | "declined" | undefined {
  if (lastOperation?.status === "PENDING") return undefined;
  if (status === "SUCCESS" || status === "CAPTURED") return "done";
  if (status === "FAILED" || status === "REJECTED" || status === "CANCELLED") return "declined";
  return undefined;
}
