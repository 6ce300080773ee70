import { escapeHtml, hiddenInputs, htmlPage, issuerPage } from "@holdfast/simulator-kit";

import type { ChallengeSession } from "./challenge-sessions.ts";

export function challengePage(session: ChallengeSession): string {
  return issuerPage({
    paying: `${session.amountMinor} minor units of ${session.currency}`,
    action: "/acs/answer",
    fields: [["session", session.id]],
  });
}

/** Sends the browser back by POST, as issuers do. */
export function returnPage(session: ChallengeSession): string {
  return htmlPage(
    "Back to the shop",
    `<form id="return" method="post" action="${escapeHtml(session.returnUrl)}">
${hiddenInputs([["session", session.id]])}  <noscript><button>Back to the shop</button></noscript>
</form>
<script>document.getElementById("return").submit()</script>`,
  );
}
