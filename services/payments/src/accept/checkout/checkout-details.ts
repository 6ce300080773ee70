import type { CardOpener } from "@holdfast/sealing";
import type { OrderDetails, SealedDetails } from "@holdfast/contracts";
import type { BusinessEvents } from "../../payment/business-events.ts";

export type CheckoutDetailsDeps = { cards: CardOpener; events: BusinessEvents };

type Sealed = { checkoutId: string; merchantId: string; details?: SealedDetails | null | undefined };

/**
 * Opens the merchant's details of a checkout's buyer, which stay sealed until they are needed.
 * @returns `sealed` where they cannot be opened: the key is not ours, or they were changed.
 */
export function openCheckoutDetails(
  { cards, events }: CheckoutDetailsDeps,
  { checkoutId, merchantId, details }: Sealed,
): OrderDetails | "sealed" | undefined {
  if (!details) return undefined;
  try {
    return cards.openDetails(details, { paymentId: checkoutId, merchantId });
  } catch (error) {
    events.cardNotOpened({ payment_id: checkoutId, merchant_id: merchantId }, error);
    return "sealed";
  }
}
