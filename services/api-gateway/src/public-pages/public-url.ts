/** The address of a checkout's page. @param publicUrl with or without a path of its own. */
export function checkoutUrl(publicUrl: string, checkoutId: string): string {
  return `${withoutTrailingSlashes(publicUrl)}/checkout/${checkoutId}`;
}

/** The page of a payment link. */
export function paymentLinkUrl(publicUrl: string, paymentLinkId: string): string {
  return `${withoutTrailingSlashes(publicUrl)}/checkout/links/${paymentLinkId}`;
}

/** A URL or a path to which a path may be appended. */
export function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end--;
  return url.slice(0, end);
}
