import { isSameBusinessDay } from "@holdfast/acquirer";
import type { ApiPaymentResponse, CancelPayment, CapturePayment, CommandReply } from "@holdfast/contracts";
import { fingerprintRequest } from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import type { KeyRing } from "@holdfast/service-runtime";
import { underEachKey } from "../../accept/fingerprint/keyed-hash.ts";
import { commissionMinor } from "../../payment/commission.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import { operateOnPayment, type OperateDeps, type OperationRequest } from "./operate-on-payment.ts";
import { decideCancel, decideCapture } from "./payment-operation.ts";

export type MerchantOperationDeps = OperateDeps & { fingerprintKeys: KeyRing };
type Reply = CommandReply<ApiPaymentResponse>;

/** POST /api/payment/{id}/capture: all or a part of the authorization, once. */
export async function capturePayment(
  deps: MerchantOperationDeps,
  message: Incoming<CapturePayment>,
  whenStarted?: OperationRequest["whenStarted"],
): Promise<Reply> {
  const { amount, currency } = message.payload;
  const plan = message.context.merchant.commission;
  return await operateOnPayment(deps, {
    ...requestOf(deps, message, [amount ?? null, currency ?? null]),
    kind: "CAPTURE",
    whenStarted,
    reason: null,
    decide: (payment) => decideCapture(payment, { amount, currency }),
    commissionMinor: (payment, amountMinor) =>
      commissionMinor(
        {
          amountMinor,
          currency: payment.currency,
          currencyExponent: payment.currency_exponent,
          cardType: payment.card_type,
          domInt: payment.dom_int,
          installmentCount: payment.installment_count,
        },
        plan,
      ),
  });
}

/** POST /api/payment/{id}/cancel: a pre-authorization, or a sale on its bank's business day. */
export async function cancelPayment(
  deps: MerchantOperationDeps,
  message: Incoming<CancelPayment>,
  whenStarted?: OperationRequest["whenStarted"],
): Promise<Reply> {
  const { reason = null } = message.payload;
  const today = new Date(deps.now());
  return await operateOnPayment(deps, {
    ...requestOf(deps, message, [reason]),
    kind: "CANCEL",
    whenStarted,
    reason,
    decide: (payment) => {
      const { businessDay } = deps.bank.termsOf(payment.account_id);
      return decideCancel(payment, isSameBusinessDay(chargedAt(payment), today, businessDay));
    },
    commissionMinor: () => 0n,
  });
}

/**
 * The time when the bank was asked to charge: with 3-D Secure at the completion, which may be on a later business day
 * than the claim.
 */
function chargedAt({ recovery_from, created_at }: PaymentRow): Date {
  return recovery_from ?? created_at;
}

function requestOf(
  { fingerprintKeys }: MerchantOperationDeps,
  { context, payload, traceparent }: Incoming<{ paymentId: string; operationId: string }>,
  fields: (string | null)[],
): Omit<OperationRequest, "kind" | "reason" | "decide" | "commissionMinor" | "whenStarted"> {
  const { idempotency } = context;
  const { hash, older } = underEachKey(fingerprintKeys, (key) =>
    fingerprintRequest(key, [payload.paymentId, ...fields]),
  );
  return {
    paymentId: payload.paymentId,
    operationId: payload.operationId,
    merchantId: context.merchant.merchantId,
    credentialIssuedBy: context.merchant.credentialIssuedBy,
    traceparent: traceparent ?? null,
    deadlineAt: context.deadlineAt,
    idempotency: idempotency && {
      ...idempotency,
      fingerprint: hash,
      older,
    },
  };
}
