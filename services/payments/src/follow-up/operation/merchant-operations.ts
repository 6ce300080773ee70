import { isSameBusinessDay } from "@holdfast/acquirer";
import {
  operations,
  type ApiPaymentResponse,
  type CancelPayment,
  type CapturePayment,
  type CommandReply,
} from "@holdfast/contracts";
import { fingerprintRequest } from "@holdfast/idempotency";
import { handler, type Incoming } from "@holdfast/messaging";
import { orNotStarted } from "@holdfast/postgres";
import type { KeyRing } from "@holdfast/service-runtime";
import { underEachKey } from "../../accept/fingerprint/keyed-hash.ts";
import type { AccountOf } from "../../bank/calls/account-connections.ts";
import { takeMerchantPermit } from "../../bank/calls/take-merchant-permit.ts";
import { chargedAt } from "../../bank/ledger/attempts.ts";
import { commissionMinor } from "../../payment/commission.ts";
import { operateOnPayment, type OperateDeps, type OperationRequest } from "./operate-on-payment.ts";
import { decideCancel, decideCapture } from "./payment-operation.ts";

type MerchantOperationDeps = OperateDeps & { fingerprintKeys: KeyRing; accountOf: AccountOf };
type Reply = CommandReply<ApiPaymentResponse>;
type WhenStarted = OperationRequest["whenStarted"];

export type MerchantOperations = ReturnType<typeof createMerchantOperations>;

/** Operations that merchants, or their staff, request on an approved payment. */
export function createMerchantOperations(deps: MerchantOperationDeps) {
  const capture = (message: Incoming<CapturePayment>, whenStarted?: WhenStarted) =>
    onItsConnection(deps, message, () => capturePayment(deps, message, whenStarted));
  const cancel = (message: Incoming<CancelPayment>, whenStarted?: WhenStarted) =>
    onItsConnection(deps, message, () => cancelPayment(deps, message, whenStarted));
  const handlers = [
    handler(operations.capture.command, (message) => capture(message)),
    handler(operations.cancel.command, (message) => cancel(message)),
  ];
  return { capture, cancel, handlers };
}

/** Operates on a connection to the account that the payment is stored with. */
async function onItsConnection(
  deps: MerchantOperationDeps,
  { context, payload }: Incoming<{ paymentId: string }>,
  operate: () => Promise<CommandReply<ApiPaymentResponse>>,
): Promise<CommandReply<ApiPaymentResponse>> {
  const { deadlineAt, merchant } = context;
  const { merchantId } = merchant;
  const found = await orNotStarted(async () => ({
    accountId: await deps.accountOf({ paymentId: payload.paymentId, merchantId }),
  }));
  if ("outcome" in found) return found;
  const { accountId } = found;
  if (accountId === undefined) return await operate();
  using permit = await takeMerchantPermit(deps, { accountId, merchantId, deadlineAt });
  return permit ? await operate() : { outcome: "not_started" };
}

/** POST /api/payment/{id}/capture: all or a part of the authorization, once. */
async function capturePayment(
  deps: MerchantOperationDeps,
  message: Incoming<CapturePayment>,
  whenStarted: WhenStarted,
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
async function cancelPayment(
  deps: MerchantOperationDeps,
  message: Incoming<CancelPayment>,
  whenStarted: WhenStarted,
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
