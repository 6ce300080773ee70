import { escapeHtml, hiddenInputs, htmlPage, issuerPage } from "@holdfast/simulator-kit";

import { returnFields, type ChallengeSession } from "./challenge-sessions.ts";
import { decimal } from "./settlement-csv.ts";
import type { Modes } from "./modes.ts";

/** A page of the bank's own, which takes the browser to the issuer: a form that sends itself. */
export function pageToChallenge(url: string, session: string): string {
  return htmlPage(
    "To your bank",
    `<form id="challenge" method="post" action="${escapeHtml(url)}">
${hiddenInputs([["session", session]])}  <noscript><button>Continue</button></noscript>
</form>
<script>document.getElementById("challenge").submit()</script>`,
  );
}

export function challengePage(session: ChallengeSession): string {
  return issuerPage({
    paying: `${decimal(session.amountMinor, session.currency)} ${session.currency}`,
    action: "/acs/answer",
    fields: [["session", session.id]],
  });
}

/** Sends the browser back by POST, as issuers do. */
export function returnPage(session: ChallengeSession, returns: Modes["returns"]): string {
  return htmlPage(
    "Back to the shop",
    `<form id="return" method="post" action="${escapeHtml(session.returnUrl)}">
${hiddenInputs(returnFields(session, returns))}  <noscript><button>Back to the shop</button></noscript>
</form>
<script>document.getElementById("return").submit()</script>`,
  );
}
