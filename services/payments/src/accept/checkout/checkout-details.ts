import type { CardOpener } from "@holdfast/sealing";
import type { OrderDetails, SealedDetails } from "@holdfast/contracts";
import type { BusinessEvents } from "../../payment/business-events.ts";

export type CheckoutDetailsDeps = { cards: CardOpener; events: BusinessEvents };

type Sealed = { checkoutId: string; merchantId: string; details?: SealedDetails | null | undefined };

/**
 * What a checkout's merchant said about its buyer. It is stored as the gateway sealed it, and opened where it is needed.
 * @returns `sealed` where it cannot be opened: the key is not ours, or it was changed.
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
