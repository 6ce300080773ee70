import type { CheckoutPage } from "@holdfast/contracts";

/** Where a checkout that is over sends its buyer, with what the shop needs to look it up. None of it is proof. */
export function shopUrl({
  status,
  successUrl,
  failureUrl,
  checkoutId,
  orderId,
  payment,
}: CheckoutPage): string {
  // As text: parsing and writing would spell the merchant's own query anew, which may be signed.
  const [address, fragment] = splitAt(status === "COMPLETED" ? successUrl : failureUrl, "#");
  const query = new URLSearchParams({
    checkoutId,
    ...(payment && { paymentId: payment.paymentId }),
    orderId,
  });
  const joint = address.includes("?") ? (/[?&]$/.test(address) ? "" : "&") : "?";
  return `${address}${joint}${query.toString()}${fragment === undefined ? "" : `#${fragment}`}`;
}

function splitAt(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
