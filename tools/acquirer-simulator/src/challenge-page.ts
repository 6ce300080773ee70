import type { ChallengeSession } from "./challenge-sessions.ts";

/** The code that passes the challenge. */
export const RIGHT_CODE = "123456";

/** The issuer's page, which stands in for the page of the cardholder's bank. */
export function challengePage(session: ChallengeSession): string {
  const amount = `${session.amountMinor} minor units of ${session.currency}`;
  return page(
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
  return page(
    "Back to the shop",
    `<form id="return" method="post" action="${escapeHtml(session.returnUrl)}">
  <input type="hidden" name="session" value="${escapeHtml(session.id)}">
  <noscript><button>Back to the shop</button></noscript>
</form>
<script>document.getElementById("return").submit()</script>`,
  );
}

export function messagePage(text: string): string {
  return page("Your bank", `<p>${escapeHtml(text)}</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
