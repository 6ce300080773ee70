import { escapeHtml, hiddenInputs, htmlPage, issuerPage } from "@holdfast/bank-simulator/core";

import { majorUnits } from "../money.ts";
import type { GateSession, Return } from "./gate-sessions.ts";

/**
 * The issuer's page. Its form has a whole address, because a merchant's server may have posted the form and shows this page
 * under an address of its own.
 */
export function challengePage({ id, form }: GateSession, publicUrl: string): string {
  const amount = `${majorUnits(form.amountMinor)} ${form.currency}`;
  return issuerPage({
    paying: `${amount} to ${form.merchant.options.merchantName}`,
    action: `${publicUrl}/acs/${id}`,
  });
}

/** Sends the browser back to the merchant: the script posts the form, and the button where there are no scripts. */
export function returnPage({ url, fields }: Return): string {
  return htmlPage(
    "Back to the shop",
    `<form id="return" method="post" action="${escapeHtml(url)}">
${hiddenInputs(fields)}  <p><button>Back to the shop</button></p>
</form>
<script>document.getElementById("return").submit()</script>`,
  );
}
