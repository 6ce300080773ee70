import { refundReference } from "@holdfast/acquirer/movement";
import { amountToJson, isLive, type ApiPaymentResponse } from "@holdfast/contracts";
import type { Selectable } from "kysely";
import type { RefundTable } from "../database.ts";
import { isFinal, merchantStatus } from "./refund.ts";

export type RefundRow = Selectable<RefundTable>;

/**
 * The refund as the spec's whole record: the bus answer and the webhook's body. The bank's answer is shown
 * only together with the final state: until `payments` knows the end, merchants do not see it.
 */
export function refundRecord(refund: RefundRow): ApiPaymentResponse {
  const { order_id, installment_count, card_holder_name, masked_pan } = refund;
  if (order_id === null || installment_count === null || card_holder_name === null || masked_pan === null) {
    throw new Error("a refund was to be shown before it was reserved");
  }
  return {
    paymentId: refund.refund_id,
    parentPaymentId: refund.payment_id,
    orderId: order_id,
    amount: amountToJson(refund.amount_minor, refund.currency_exponent),
    installmentCount: installment_count,
    currency: refund.currency,
    merchantCommission: 0,
    status: merchantStatus(refund.state),
    statusDate: refund.state_since.toISOString(),
    version: refund.version,
    transactionType: "REFUND",
    paymentDate: refund.created_at.toISOString(),
    cardHolderName: card_holder_name,
    pan: masked_pan,
    ...(refund.dom_int !== null && { domInt: refund.dom_int }),
    ...(refund.card_scheme !== null && { cardScheme: refund.card_scheme }),
    ...(refund.card_type !== null && { cardType: refund.card_type }),
    ...(refund.card_sub_type !== null && { cardSubType: refund.card_sub_type }),
    ...(refund.loyalty_code !== null && { loyaltyCode: refund.loyalty_code }),
    ...(isFinal(refund.state) && resultOf(refund)),
    ...(refund.customer_id !== null && { customerId: refund.customer_id }),
    livemode: isLive(refund.merchant_id),
  };
}

function resultOf(refund: RefundRow): Partial<ApiPaymentResponse> {
  return {
    ...(refund.external_transaction_id !== null && { externalTransactionId: refund.external_transaction_id }),
    ...(refund.auth_code !== null && { authCode: refund.auth_code }),
    ...(refund.result_code !== null && { resultCode: refund.result_code }),
    ...(refund.result_message !== null && { resultMessage: refund.result_message }),
  };
}

/** The exact bytes of a webhook about the refund as it is now. */
export function webhookBody(refund: RefundRow): Buffer {
  return Buffer.from(JSON.stringify(refundRecord(refund)));
}

/** Our reference of the refund's last call, or of the first one that will be made. */
export function shownReference({
  refund_id,
  bank_reference,
}: Pick<RefundRow, "refund_id" | "bank_reference">): string {
  return bank_reference ?? refundReference(refund_id);
}
