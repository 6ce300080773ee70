import { withoutTrailingSlashes } from "../without-trailing-slashes.ts";

/** Where buyers find the page of a checkout. @param publicUrl with or without a path of its own. */
export function checkoutUrl(publicUrl: string, checkoutId: string): string {
  return `${withoutTrailingSlashes(publicUrl)}/checkout/${checkoutId}`;
}
