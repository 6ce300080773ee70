import { createHash } from "node:crypto";
import type { BrowserReturn } from "@holdfast/contracts";
import type { Exchange } from "../../http/exchange.ts";
import type { Language } from "../choose-language.ts";
import { escapeHtml } from "../html.ts";
import { FRAMED_BY, REPORTED_TO } from "./challenge-form.ts";
import { PAGE_HEADERS, PAGE_TEXTS, REFRESH_S } from "./status-page.ts";

/**
 * A page that sends what the browser brought once more after a moment. The return could not be looked at yet, and a page
 * that only asks again would lose the fields. They are in this one answer, for the browser that brought them.
 */
export function answerSendAgain(
  exchange: Exchange,
  status: 200 | 503,
  { language, path, returned }: { language: Language; path: string; returned: BrowserReturn },
): void {
  const texts = PAGE_TEXTS[language];
  const [heading, text] = texts[status === 503 ? "unavailable" : "waiting"];
  const inputs = returned.fields.map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const body = `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(heading)}</title></head>
<body>
<main>
<h1>${escapeHtml(heading)}</h1>
<p role="status">${escapeHtml(text)}</p>
<form id="again" method="post" action="${escapeHtml(path)}">
${inputs.join("\n")}
<noscript><button>${escapeHtml(texts.sendAgain)}</button></noscript>
</form>
</main>
<script>${SEND_AGAIN}</script>
</body>
</html>
`;
  exchange.answer(
    status,
    {
      ...PAGE_HEADERS,
      "Content-Security-Policy": POLICY,
      ...(status === 503 && { "Retry-After": String(REFRESH_S) }),
    },
    body,
  );
}

/** The only script of the page. A field of the form may be named `submit`, and would hide the form's own. */
export const SEND_AGAIN = `setTimeout(() => HTMLFormElement.prototype.submit.call(document.getElementById("again")), ${REFRESH_S * 1_000})`;

/** The form comes to this page, whose answer may lead on to the shop: browsers apply `form-action` to that, too. */
const POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(SEND_AGAIN).digest("base64")}'`,
  "form-action 'self' https:",
  "base-uri 'none'",
  FRAMED_BY,
  REPORTED_TO,
].join("; ");
