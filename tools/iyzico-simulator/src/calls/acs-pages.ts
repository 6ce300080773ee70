import { escapeHtml, hiddenInputs, htmlPage, issuerPage } from "@holdfast/bank-simulator/core";

import type { Payment } from "../bank/payment.ts";
import { Decimal } from "../wire/decimal.ts";

/**
 * The content of `threeDSHtmlContent`: a page that posts itself to the issuer, and has a button where scripts are off.
 */
export function startPage(challengeUrl: string, token: string): string {
  return htmlPage("To your bank", selfPostingForm(challengeUrl, [["token", token]], "Go to your bank"));
}

export function challengePage({ paidPriceMinor, currency }: Payment, token: string): string {
  const paying = `${Decimal.ofMinor(paidPriceMinor).short} ${currency}`;
  return issuerPage({ paying, action: "/acs/answer", fields: [["token", token]] });
}

/** Sends the browser back to the merchant by POST. */
export function returnPage(callbackUrl: string, fields: readonly (readonly [string, string])[]): string {
  return htmlPage("Back to the shop", selfPostingForm(callbackUrl, fields, "Back to the shop"));
}

function selfPostingForm(
  url: string,
  fields: readonly (readonly [string, string])[],
  button: string,
): string {
  return `<form id="next" method="post" action="${escapeHtml(url)}">
${hiddenInputs(fields)}  <button>${escapeHtml(button)}</button>
</form>
<script>document.getElementById("next").submit()</script>`;
}
