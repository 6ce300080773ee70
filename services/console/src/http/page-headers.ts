import { originOf } from "./same-origin.ts";

/**
 * The security headers of every answer. A page loads our own style and script and nothing else, cannot be framed, and
 * is stored nowhere: after a sign-out the back button shows nothing. A form leads to this server; `form-action` also
 * covers the address that it redirects to, which after a sign-out is the identity provider's.
 */
export function pageHeaders({ consoleUrl, issuer }: { consoleUrl: string; issuer: string }) {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action 'self' ${originOf(issuer)}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    "Content-Security-Policy": policy.join("; "),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ...(consoleUrl.startsWith("https:") && { "Strict-Transport-Security": "max-age=31536000" }),
  };
}
