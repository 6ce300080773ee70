import { createHash } from "node:crypto";
import type { BrowserReturn } from "@holdfast/contracts";
import type { Exchange } from "../../http/exchange.ts";
import { escapeHtml } from "@holdfast/html";
import { FRAMED_BY, REPORTED_TO } from "./challenge-form.ts";
import {
  NOTICE_STYLE,
  noticePage,
  PAGE_HEADERS,
  PAGE_TEXTS,
  REFRESH_S,
  type NoticeFrame,
} from "./status-page.ts";

/**
 * A page that sends what the browser brought once more after a moment. The return could not be looked at yet, and a page
 * that only asks again would lose the fields. They are in this one answer, for the browser that brought them.
 */
export function answerSendAgain(
  exchange: Exchange,
  status: 200 | 503,
  { path, returned, ...frame }: NoticeFrame & { path: string; returned: BrowserReturn },
): void {
  const { language } = frame.locale;
  const inputs = returned.fields.map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const form = `
<form id="again" method="post" action="${escapeHtml(path)}">
${inputs.join("\n")}
<noscript><button>${escapeHtml(PAGE_TEXTS[language].sendAgain)}</button></noscript>
</form>`;
  exchange.answer(
    status,
    {
      ...PAGE_HEADERS,
      "Content-Security-Policy": POLICY,
      ...(status === 503 && { "Retry-After": String(REFRESH_S) }),
    },
    noticePage(status === 503 ? "unavailable" : "waiting", frame, form, SEND_AGAIN),
  );
}

/** The only script of the page. A field of the form may be named `submit`, and would hide the form's own. */
export const SEND_AGAIN = `setTimeout(() => HTMLFormElement.prototype.submit.call(document.getElementById("again")), ${REFRESH_S * 1_000})`;

/**
 * The form is sent to this page, whose answer may redirect to the shop: browsers apply `form-action` to that
 * redirect, too.
 */
const POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(SEND_AGAIN).digest("base64")}'`,
  NOTICE_STYLE,
  "form-action 'self' https:",
  "base-uri 'none'",
  FRAMED_BY,
  REPORTED_TO,
].join("; ");
