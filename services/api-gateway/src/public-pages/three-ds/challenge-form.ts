import { createHash } from "node:crypto";
import type { ChallengeForm } from "@holdfast/contracts";
import { escapeHtml } from "@holdfast/html";
import { reportDirectives, REPORTS_PATH } from "../page-reports/report-headers.ts";

type Form = Pick<ChallengeForm, "url" | "fields">;
type Texts = { language: string; button: string };

/**
 * A page that sends the browser to the issuer: a form that submits itself, with a button if scripts do not
 * run. The merchant may embed it in its own page, so it needs nothing from ours.
 */
export function challengeForm({ url, fields }: Form, texts: Texts): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return pageThatSends({ method: "post", url, inputs }, texts);
}

/** A page that sends the browser to our page with the challenge. */
export function leadTo(pageUrl: string, texts: Texts): string {
  return pageThatSends({ method: "get", url: pageUrl, inputs: [] }, texts);
}

function pageThatSends(
  { method, url, inputs }: { method: "get" | "post"; url: string; inputs: string[] },
  { language, button }: Texts,
): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><title>3-D Secure</title></head>
<body>
<form id="challenge" method="${method}" action="${escapeHtml(url)}">
${inputs.join("\n")}
<noscript><button>${escapeHtml(button)}</button></noscript>
</form>
<script>${SUBMIT}</script>
</body>
</html>
`;
}

/** The only script of the page. A field of the form may be named `submit`, and would hide the form's own. */
export const SUBMIT = 'HTMLFormElement.prototype.submit.call(document.getElementById("challenge"))';

/**
 * The Content-Security-Policy of our own page with the form. The form may go to the challenge's address and, since
 * browsers apply `form-action` to redirects after a form, too, on to any https address that the issuer leads to.
 */
export function challengePolicy({ url }: Pick<ChallengeForm, "url">): string {
  const { origin, protocol } = new URL(url);
  const hash = createHash("sha256").update(SUBMIT).digest("base64");
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    `form-action https:${protocol === "https:" ? "" : ` ${origin}`}`,
    "base-uri 'none'",
    FRAMED_BY,
    REPORTED_TO,
  ].join("; ");
}

/**
 * The policy of a bank's own page, which is sent unchanged. The sandbox gives the page an opaque origin, so
 * it reaches no cookie, storage, script or frame of ours. The pages after it are not in the sandbox: the
 * issuer's pages work as usual, and the browser returns to the top window. Nothing else is restricted or
 * reported, since the bank decides what its page loads and where its forms go.
 */
export const BANK_PAGE_POLICY = [
  "sandbox allow-forms allow-scripts allow-top-navigation",
  "frame-ancestors https:",
].join("; ");

/** Merchants show challenges in a frame; these pages have nothing that could be clicked by mistake. */
export const FRAMED_BY = "frame-ancestors https:";

/** Relative to `/3ds/…/{state}`, so that it is right under any path. */
export const REPORTED_TO = reportDirectives(`../..${REPORTS_PATH}`).join("; ");
