import {
  Card,
  currencyExponent,
  parseAmount,
  type PreAuthorizationRequest,
  type PreAuthorizePayment,
} from "@holdfast/contracts";

/** The card of a payment request, to be sealed at once. */
export function cardOf({ pan, expiryMonth, expiryYear, cvv }: PreAuthorizationRequest): Card {
  return new Card({ pan, expiryMonth, expiryYear, cvv });
}

/** What both kinds of card payment send on, field by field: what else the body has goes nowhere. */
export function cardPaymentOf(
  { orderId, amount, currency, cardHolderName, requestIp, requestPort, customerId }: PreAuthorizationRequest,
  paymentId: string,
  card: PreAuthorizePayment["card"],
): PreAuthorizePayment {
  const amountMinor = parseAmount(amount.source, currencyExponent(currency) ?? 0);
  if (typeof amountMinor !== "bigint") throw new Error(`an amount passed validation and is ${amountMinor}`);
  return {
    paymentId,
    orderId,
    amountMinor: amountMinor.toString(),
    currency,
    cardHolderName,
    card,
    requestIp,
    requestPort: Number(requestPort.source),
    customerId,
  };
}
