import type { RequestRefund } from "@holdfast/contracts";
import { fingerprintRequest } from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import { requestRefund, type Reply, type RequestRefundDeps } from "./request-refund.ts";

/** POST /api/payment/{id}/refund. */
export async function requestRefundByMerchant(
  deps: RequestRefundDeps,
  { context, payload, traceparent }: Incoming<RequestRefund>,
): Promise<Reply> {
  const { refundId, paymentId, amountMinor, currency, reason } = payload;
  const { idempotency } = context;
  return await requestRefund(deps, {
    refundId,
    paymentId,
    merchantId: context.merchant.merchantId,
    amountMinor: BigInt(amountMinor),
    currency,
    requestedBy: undefined,
    reason,
    credentialIssuedBy: context.merchant.credentialIssuedBy,
    traceparent: traceparent ?? null,
    deadlineAt: context.deadlineAt,
    idempotency: idempotency && {
      ...idempotency,
      fingerprint: fingerprintRequest(FINGERPRINT_KEY, [paymentId, amountMinor, currency, reason ?? ""]),
    },
  });
}

/** This key is not secret: the fingerprinted fields are in clear in the same row, unlike a card number. */
const FINGERPRINT_KEY = Buffer.alloc(32);
