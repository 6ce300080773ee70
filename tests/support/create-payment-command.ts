import { randomUUIDv7 } from "node:crypto";
import { Card, type CardData, type PreAuthorizePayment } from "@holdfast/contracts";
import type { CardSealer } from "@holdfast/sealing";

export type PaymentChange = Partial<PreAuthorizePayment> & {
  cardData?: Partial<CardData>;
  ofMerchant?: string;
};

let orders = 0;

/** A pre-authorization or a sale, of an order of its own, as the gateway sends it, with `change` applied. */
export function createPaymentCommand(
  sealer: CardSealer,
  merchantId: string,
  { cardData, ofMerchant = merchantId, ...change }: PaymentChange = {},
): PreAuthorizePayment {
  const paymentId = change.paymentId ?? randomUUIDv7();
  const card = new Card({
    pan: "4111111111111111",
    expiryMonth: "12",
    expiryYear: "30",
    cvv: "123",
    ...cardData,
  });
  return {
    paymentId,
    orderId: `order-${++orders}`,
    amountMinor: "1250",
    currency: "TRY",
    cardHolderName: "Ada Lovelace",
    card: sealer.seal(card, { paymentId, merchantId: ofMerchant }),
    requestIp: "203.0.113.7",
    requestPort: 443,
    ...change,
  };
}
