import type { SessionState } from "@holdfast/contracts";

/**
 * Where a payment that has ended sends its buyer. The URL is the one the merchant gave when it signed in, with the ids
 * added to its query: as text, since parsing and writing would spell the merchant's own query anew, which may be signed.
 */
export function backToShop({ payment, successUrl, failureUrl }: SessionState): string {
  const isGood = payment.status === "SUCCESS" || payment.status === "CAPTURED";
  const url = isGood ? successUrl : failureUrl;
  const fragmentAt = url.indexOf("#");
  const address = fragmentAt === -1 ? url : url.slice(0, fragmentAt);
  const fragment = fragmentAt === -1 ? "" : url.slice(fragmentAt);
  const joint = address.includes("?") ? (/[?&]$/.test(address) ? "" : "&") : "?";
  const ids = new URLSearchParams({ paymentId: payment.paymentId, orderId: payment.orderId });
  return `${address}${joint}${ids.toString()}${fragment}`;
}
