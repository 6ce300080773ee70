import { escapeHtml, htmlPage } from "@holdfast/simulator-kit";

import type { Payment } from "../bank/payment.ts";
import { Decimal } from "../wire/decimal.ts";

/** The code that passes the challenge (iyzico protocol, transport and authentication). */
export const RIGHT_CODE = "123456";

/** What `threeDSHtmlContent` has: a page that posts itself to the issuer, and has a button where scripts are off. */
export function startPage(challengeUrl: string, token: string): string {
  return htmlPage("To your bank", selfPostingForm(challengeUrl, [["token", token]], "Go to your bank"));
}

/** The issuer's page. It has no script, so that a program can post its form, too. */
export function challengePage({ paidPriceMinor, currency }: Payment, token: string): string {
  const amount = `${Decimal.ofMinor(paidPriceMinor).short} ${currency}`;
  return htmlPage(
    "Confirm your payment",
    `<h1>Confirm your payment</h1>
<p>This page stands in for your bank. You are about to pay ${escapeHtml(amount)}.</p>
<form method="post" action="/acs/answer">
  <input type="hidden" name="token" value="${escapeHtml(token)}">
  <p><label for="code">Code from your phone</label><br>
  <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" autofocus></p>
  <p>${RIGHT_CODE} is the correct code; any other is wrong.</p>
  <p><button name="answer" value="submit">Confirm</button>
  <button name="answer" value="cancel" formnovalidate>Cancel</button></p>
</form>`,
  );
}

/** Sends the browser back to the merchant by POST. */
export function returnPage(callbackUrl: string, fields: readonly (readonly [string, string])[]): string {
  return htmlPage("Back to the shop", selfPostingForm(callbackUrl, fields, "Back to the shop"));
}

export function messagePage(text: string): string {
  return htmlPage("Your bank", `<p>${escapeHtml(text)}</p>`);
}

function selfPostingForm(
  url: string,
  fields: readonly (readonly [string, string])[],
  button: string,
): string {
  const inputs = fields.map(
    ([name, value]) => `  <input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form id="next" method="post" action="${escapeHtml(url)}">
${inputs.join("\n")}
  <button>${escapeHtml(button)}</button>
</form>
<script>document.getElementById("next").submit()</script>`;
}
