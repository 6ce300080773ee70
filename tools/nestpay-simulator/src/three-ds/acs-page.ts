import { escapeHtml, htmlPage } from "@holdfast/simulator-kit";

import { majorUnits } from "../money.ts";
import type { GateSession, Return } from "./gate-sessions.ts";

/** The code that passes the challenge. */
export const RIGHT_CODE = "123456";

/**
 * The issuer's page, which stands in for the page of the cardholder's bank. Its form has a whole address, because a
 * merchant's server may have posted the form and shows this page under an address of its own. It has no script.
 */
export function challengePage({ id, form }: GateSession, publicUrl: string): string {
  const amount = `${majorUnits(form.amountMinor)} ${form.currency}`;
  return htmlPage(
    "Confirm your payment",
    `<h1>Confirm your payment</h1>
<p>This page stands in for your bank. You are about to pay ${escapeHtml(amount)} to ${escapeHtml(form.merchant.options.merchantName)}.</p>
<form method="post" action="${escapeHtml(`${publicUrl}/acs/${id}`)}">
  <p><label for="code">Code from your phone</label><br>
  <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" autofocus></p>
  <p>${RIGHT_CODE} is the correct code; any other is wrong.</p>
  <p><button name="answer" value="submit">Confirm</button>
  <button name="answer" value="cancel" formnovalidate>Cancel</button></p>
</form>`,
  );
}

/** Sends the browser back to the merchant: the script posts the form, and the button where there are no scripts. */
export function returnPage({ url, fields }: Return): string {
  const inputs = fields
    .map(([name, value]) => `  <input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join("\n");
  return htmlPage(
    "Back to the shop",
    `<form id="return" method="post" action="${escapeHtml(url)}">
${inputs}
  <p><button>Back to the shop</button></p>
</form>
<script>document.getElementById("return").submit()</script>`,
  );
}

export function messagePage(text: string): string {
  return htmlPage("Your bank", `<p>${escapeHtml(text)}</p>`);
}
