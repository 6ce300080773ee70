import { Card, type PreAuthorizationRequest, type PreAuthorizePayment } from "@holdfast/contracts";
import { amountMinorOf } from "../endpoint/amount-minor.ts";

/** The card of a payment request, to be sealed at once. */
export function cardOf({ pan, expiryMonth, expiryYear, cvv }: PreAuthorizationRequest): Card {
  return new Card({ pan, expiryMonth, expiryYear, cvv });
}

/** What both kinds of card payment send on, field by field: what else the body has goes nowhere. */
export function cardPaymentOf(
  body: PreAuthorizationRequest,
  paymentId: string,
  card: PreAuthorizePayment["card"],
): PreAuthorizePayment {
  const { orderId, currency, cardHolderName, requestIp, requestPort, customerId } = body;
  return {
    paymentId,
    orderId,
    amountMinor: amountMinorOf(body),
    currency,
    cardHolderName,
    card,
    requestIp,
    requestPort: Number(requestPort.source),
    customerId,
  };
}
