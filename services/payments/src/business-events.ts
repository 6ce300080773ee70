import type { Logger } from "@holdfast/service-runtime";
import { merchantStatus } from "./payment/payment.ts";
import type { ShownPayment } from "./payment/payment-record.ts";

/** What happened in the business, one helper for each kind: its log line (and, later, its metric) is written here. */
export type BusinessEvents = {
  paymentRecorded(payment: ShownPayment, cause: string): void;
  /** The acquirer's answer is not known; `reason` says why. */
  outcomeUnknown(payment: ShownPayment, reason: string): void;
  /** A write of the money path failed; recovery or the merchant's repetition goes on from what is committed. */
  writeFailed(
    operation: "claim" | "record",
    payment: { payment_id: string; merchant_id: string },
    error: unknown,
  ): void;
};

export function createBusinessEvents(log: Logger): BusinessEvents {
  return {
    paymentRecorded(payment, cause) {
      log.info({ ...identify(payment), reason: cause, resultCode: payment.result_code }, "payment recorded");
    },
    outcomeUnknown(payment, reason) {
      log.warn({ ...identify(payment), reason }, "the acquirer's answer is not known");
    },
    writeFailed(operation, { payment_id, merchant_id }, error) {
      log.error({ paymentId: payment_id, merchantId: merchant_id, operation, error }, "a write failed");
    },
  };
}

function identify({ payment_id, merchant_id, state, transaction_type }: ShownPayment) {
  return {
    paymentId: payment_id,
    merchantId: merchant_id,
    status: merchantStatus(state),
    operation: transaction_type,
  };
}
