import { Card, type PreAuthorizationRequest, type PreAuthorizePayment } from "@holdfast/contracts";
import { amountMinorOf } from "../endpoint/amount-minor.ts";

/** The card of a payment request, to be sealed immediately. */
export function cardOf({ pan, expiryMonth, expiryYear, cvv }: PreAuthorizationRequest): Card {
  return new Card({ pan, expiryMonth, expiryYear, cvv });
}

/** The fields that every card payment sends on. They are named one by one, so nothing else of the body goes anywhere. */
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
