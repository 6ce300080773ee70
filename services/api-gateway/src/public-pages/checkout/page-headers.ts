import { randomBytes } from "node:crypto";

/** Drawn for each page: scripts and styles that do not carry it are not run. */
export function generateNonce(): string {
  return randomBytes(16).toString("base64");
}

/**
 * What browsers are told of every page. Nothing is loaded but our own script and style, nothing may frame the page, no
 * address of it is told to anybody (whoever knows it can pay), and nothing of it is kept. Forms go to this server only:
 * the hops to the shop and to the bank are links or script, since browsers hold redirects after a form to
 * `form-action`, too.
 */
export function pageHeaders(nonce: string): Record<string, string> {
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
  ];
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy.join("; "),
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    Vary: "Accept-Language",
    ...PRIVACY_HEADERS,
  };
}

/** For answers to the page's script, and redirects. */
export const PRIVACY_HEADERS = { "Referrer-Policy": "no-referrer" };
