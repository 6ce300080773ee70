import { PAYMENT_STATUS_CHANGED } from "@holdfast/contracts";
import type { AcquirerResult } from "./authorization-outcome.ts";
import { webhookBody, type ShownPayment } from "./payment-record.ts";
import type { RecordRow } from "./payment-statements.ts";

/** How a payment's authorization ends, and why. */
export type Settlement = { to: "SUCCESS" | "FAILED" | "CANCELLED"; cause: string; result: AcquirerResult };

/** A payment that may be settled: under a lease of ours. */
export type LeasedForSettlement = ShownPayment & {
  lease_token: string;
  traceparent: string | null;
  /** From when its age counts, where that is not its claim. */
  recovery_from?: Date | null;
};

/** The payment as it will be, and the change that makes it so, with the exact bytes that tell the merchant. */
export function settle(
  payment: LeasedForSettlement,
  { to, cause, result }: Settlement,
  { keyed }: { keyed: boolean },
): { settled: ShownPayment; change: RecordRow } {
  const acquirerFields = {
    external_transaction_id: result.externalTransactionId,
    auth_code: result.authCode,
    result_code: result.resultCode,
    result_message: result.resultMessage,
  };
  const settled = { ...payment, ...acquirerFields, state: to };
  const change: RecordRow = {
    payment_id: payment.payment_id,
    lease_token: payment.lease_token,
    from: payment.state,
    to,
    cause,
    ...acquirerFields,
    webhook_body: webhookBody(settled),
    event_type: PAYMENT_STATUS_CHANGED,
    traceparent: payment.traceparent,
    keyed,
  };
  return { settled, change };
}
