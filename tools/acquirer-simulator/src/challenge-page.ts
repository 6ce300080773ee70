import { escapeHtml, htmlPage } from "@holdfast/simulator-kit";

import type { ChallengeSession } from "./challenge-sessions.ts";

/** The code that passes the challenge. */
export const RIGHT_CODE = "123456";

/** The issuer's page, which stands in for the page of the cardholder's bank. */
export function challengePage(session: ChallengeSession): string {
  const amount = `${session.amountMinor} minor units of ${session.currency}`;
  return htmlPage(
    "Confirm your payment",
    `<h1>Confirm your payment</h1>
<p>This page stands in for your bank. You are about to pay ${escapeHtml(amount)}.</p>
<form method="post" action="/acs/answer">
  <input type="hidden" name="session" value="${escapeHtml(session.id)}">
  <p><label for="code">Code from your phone</label><br>
  <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" autofocus></p>
  <p>${RIGHT_CODE} is the correct code; any other is wrong.</p>
  <p><button name="answer" value="submit">Confirm</button>
  <button name="answer" value="cancel" formnovalidate>Cancel</button></p>
</form>`,
  );
}

/** Sends the browser back by POST, as issuers do. */
export function returnPage(session: ChallengeSession): string {
  return htmlPage(
    "Back to the shop",
    `<form id="return" method="post" action="${escapeHtml(session.returnUrl)}">
  <input type="hidden" name="session" value="${escapeHtml(session.id)}">
  <noscript><button>Back to the shop</button></noscript>
</form>
<script>document.getElementById("return").submit()</script>`,
  );
}

export function messagePage(text: string): string {
  return htmlPage("Your bank", `<p>${escapeHtml(text)}</p>`);
}
