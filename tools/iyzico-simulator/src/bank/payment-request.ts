import type { PaymentOrder } from "./bank-rules.ts";

/** A payment as the merchant asked for it. */
export type PaymentRequest = Omit<PaymentOrder, "itemPricesMinor"> & {
  conversationId: string;
  basketId: string;
  items: readonly { itemId: string; priceMinor: bigint }[];
  buyerId: string;
  ip: string;
};

export function orderOf(request: PaymentRequest): PaymentOrder {
  return { ...request, itemPricesMinor: request.items.map(({ priceMinor }) => priceMinor) };
}
