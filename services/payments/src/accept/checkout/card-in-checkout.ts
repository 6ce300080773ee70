import type { CardOpener } from "@holdfast/sealing";
import {
  CARD_NUMBER_FAULT,
  checkDetailsForCard,
  holdsThisCard,
  type CommandReply,
  type OrderDetails,
  type PayCheckout,
} from "@holdfast/contracts";
import type { Incoming } from "@holdfast/messaging";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { CheckoutRow } from "./checkout-queries.ts";

type Deps = { cards: CardOpener; events: BusinessEvents };

/**
 * Refuses to pay a checkout whose own texts contain this card's number: they are shown to the merchant, sent
 * in webhooks and redirects, and passed to the bank in other fields. The merchant wrote them before the card
 * was known, so this is the first time to compare (docs/adr/0007). Nothing has been written or sent.
 */
export function refuseCardInCheckout(
  { cards, events }: Deps,
  { context, payload }: Incoming<PayCheckout>,
  row: CheckoutRow,
  details: OrderDetails | undefined,
): Extract<CommandReply<never>, { outcome: "problem" }> | undefined {
  const { merchantId } = context.merchant;
  const pan = panOf(cards, payload, merchantId);
  const fields = pan === undefined ? [] : [...fieldsWithCard(row, pan), ...detailsWithCard(details, pan)];
  if (fields.length === 0) return undefined;
  events.cardInCheckout({ payment_id: payload.paymentId, merchant_id: merchantId }, fields);
  const errors = fields.map((field) => ({ field, ...CARD_NUMBER_FAULT }));
  return { outcome: "problem", code: "validation_failed", extra: { errors } };
}

/** A card that cannot be opened is refused as any payment's, later. */
function panOf(cards: CardOpener, { card, paymentId }: PayCheckout, merchantId: string): string | undefined {
  try {
    return cards.open(card, { paymentId, merchantId }).reveal().pan;
  } catch {
    return undefined;
  }
}

function detailsWithCard(details: OrderDetails | undefined, pan: string): string[] {
  const fields: string[] = [];
  if (details) checkDetailsForCard(details, pan, (field) => fields.push(field));
  return fields;
}

/** The fields with the card in them, by the names that merchants know. */
export function fieldsWithCard(
  row: Pick<CheckoutRow, "order_id" | "customer_id" | "buyer_text" | "success_url" | "failure_url">,
  pan: string,
): string[] {
  const texts = {
    orderId: row.order_id,
    customerId: row.customer_id,
    buyerText: row.buyer_text,
    successUrl: row.success_url,
    failureUrl: row.failure_url,
  };
  return Object.entries(texts)
    .filter(([, text]) => text !== null && holdsThisCard(text, pan))
    .map(([field]) => field);
}
