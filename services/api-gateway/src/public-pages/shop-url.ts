import type { CheckoutPage, SessionState } from "@holdfast/contracts";

/**
 * The shop's address for the buyer of an ended checkout, with the fields by which the shop looks it up. None
 * of them is proof. Undefined if the merchant named no address.
 */
export function shopUrlOfCheckout({
  status,
  successUrl,
  failureUrl,
  checkoutId,
  orderId,
  payment,
}: CheckoutPage): string | undefined {
  const url = status === "COMPLETED" ? successUrl : failureUrl;
  if (url === undefined) return undefined;
  return addToQuery(url, {
    checkoutId,
    ...(payment && { paymentId: payment.paymentId }),
    orderId,
    checkoutStatus: status,
  });
}

/** The shop's address for the buyer of an ended 3-D Secure payment: the merchant's URL with the payment's ids. */
export function shopUrlOfPayment({
  payment,
  successUrl,
  failureUrl,
}: Pick<SessionState, "payment" | `${"success" | "failure"}Url`>): string {
  const isGood = payment.status === "SUCCESS" || payment.status === "CAPTURED";
  const { paymentId, orderId } = payment;
  return addToQuery(isGood ? successUrl : failureUrl, { paymentId, orderId });
}

/**
 * Adds to a URL's query as text: parsing and writing would change how the merchant's own query is spelled, and that may
 * be signed.
 */
function addToQuery(url: string, added: Record<string, string>): string {
  const fragmentAt = url.indexOf("#");
  const address = fragmentAt === -1 ? url : url.slice(0, fragmentAt);
  const fragment = fragmentAt === -1 ? "" : url.slice(fragmentAt);
  const joint = address.includes("?") ? (/[?&]$/.test(address) ? "" : "&") : "?";
  return `${address}${joint}${new URLSearchParams(added).toString()}${fragment}`;
}
