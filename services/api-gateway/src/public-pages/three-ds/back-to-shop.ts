import type { SessionState } from "@holdfast/contracts";
import { addToQuery } from "../add-to-query.ts";

/** Where a payment that has ended sends its buyer: the URL the merchant gave with it, with the ids in its query. */
export function backToShop({ payment, successUrl, failureUrl }: SessionState): string {
  const isGood = payment.status === "SUCCESS" || payment.status === "CAPTURED";
  const { paymentId, orderId } = payment;
  return addToQuery(isGood ? successUrl : failureUrl, { paymentId, orderId });
}
