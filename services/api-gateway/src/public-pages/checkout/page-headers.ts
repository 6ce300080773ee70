import { randomBytes } from "node:crypto";
import { reportDirectives } from "../page-reports/report-headers.ts";

/** Generated for each page: browsers run no script and no style without it. */
export function generateNonce(): string {
  return randomBytes(16).toString("base64");
}

/**
 * The security headers of every page. It loads only our own script and style, may not be framed, discloses
 * its address to no other site (anybody who knows it can pay), and is not stored. Forms go only to this
 * server: the steps to the shop and to the bank are links or script, since browsers apply `form-action` to
 * redirects after a form, too. Browsers report violations to us.
 */
export function pageHeaders(nonce: string, reportsPath: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    ...reportDirectives(reportsPath),
  ];
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy.join("; "),
    // Browsers that know this header load no script without the digest that the page names, even with a
    // nonce.
    "Integrity-Policy": "blocked-destinations=(script), endpoints=(page)",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    Vary: "Accept-Language",
    ...PRIVACY_HEADERS,
  };
}

/** Headers of answers to the page's script, and of redirects. */
export const PRIVACY_HEADERS = { "Referrer-Policy": "no-referrer" };
