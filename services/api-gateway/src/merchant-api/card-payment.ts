import {
  Card,
  merchantFieldsOf,
  orderDetailsOf,
  type PreAuthorizationRequest,
  type JsonNumber,
  type PreAuthorizePayment,
  type SellPayment,
} from "@holdfast/contracts";
import type { CardBinding, CardSealer } from "@holdfast/sealing";
import { amountMinorOf } from "../endpoint/amount-minor.ts";

/**
 * The fields that every card payment sends on. They are named one by one, so no other field of the body is
 * forwarded. The card, and the request's data about its buyer, are sealed here.
 */
export function cardPaymentOf(
  cards: CardSealer,
  body: PreAuthorizationRequest,
  binding: CardBinding,
): PreAuthorizePayment {
  const { orderId, currency, cardHolderName, requestIp, requestPort, allowConcurrentAttempt } = body;
  const { pan, expiryMonth, expiryYear, cvv } = body;
  const details = orderDetailsOf(body);
  return {
    paymentId: binding.paymentId,
    orderId,
    amountMinor: amountMinorOf(body),
    currency,
    cardHolderName,
    card: cards.seal(new Card({ pan, expiryMonth, expiryYear, cvv }), binding),
    requestIp,
    requestPort: Number(requestPort.source),
    ...merchantFieldsOf(body),
    ...(allowConcurrentAttempt && { allowConcurrentAttempt }),
    ...(details && { details: cards.sealDetails(details, binding) }),
  };
}

/** The whole amount that the card is charged, where the merchant has sent it. */
export function installmentTotalOf({
  installmentTotal: amount,
  currency,
}: {
  installmentTotal?: JsonNumber | undefined;
  currency: string;
}): Pick<SellPayment, "installmentTotalMinor"> {
  return amount ? { installmentTotalMinor: amountMinorOf({ amount, currency }) } : {};
}
