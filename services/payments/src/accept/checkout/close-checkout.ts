import {
  CHECKOUT_CANCELLED,
  CHECKOUT_COMPLETED,
  CHECKOUT_EXPIRED,
  type CheckoutStatus,
  type EventType,
} from "@holdfast/contracts";
import type { Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { findCheckout, updateClosed, type FoundCheckout } from "./checkout-queries.ts";
import { checkoutWebhookBody } from "./checkout-record.ts";

type Closed = Exclude<CheckoutStatus, "OPEN">;

const EVENTS: Record<Closed, EventType> = {
  COMPLETED: CHECKOUT_COMPLETED,
  EXPIRED: CHECKOUT_EXPIRED,
  CANCELLED: CHECKOUT_CANCELLED,
};

/**
 * Ends a checkout by one update of an open row, and writes the event of its end in the same transaction: however it is
 * closed, there is one event.
 */
export async function closeCheckout(
  trx: Transaction<PaymentsDatabase>,
  checkoutId: string,
  to: Closed,
): Promise<{ closed: boolean; checkout: FoundCheckout | undefined }> {
  const closed = await updateClosed(trx, checkoutId, to);
  const checkout = await findCheckout(trx, checkoutId);
  if (closed && checkout) {
    const { merchant_id, state: status } = checkout.row;
    const body = checkoutWebhookBody(checkout);
    await trx
      .insertInto("outbox")
      .values({ event_type: EVENTS[to], payment_id: checkoutId, merchant_id, status, body })
      .execute();
  }
  return { closed, checkout };
}
