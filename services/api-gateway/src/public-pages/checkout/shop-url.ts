import type { CheckoutPage } from "@holdfast/contracts";
import { addToQuery } from "../add-to-query.ts";

/** Where a checkout that is over sends its buyer, with what the shop needs to look it up. None of it is proof. */
export function shopUrl({
  status,
  successUrl,
  failureUrl,
  checkoutId,
  orderId,
  payment,
}: CheckoutPage): string {
  return addToQuery(status === "COMPLETED" ? successUrl : failureUrl, {
    checkoutId,
    ...(payment && { paymentId: payment.paymentId }),
    orderId,
  });
}
