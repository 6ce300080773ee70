import type { WireAnswer } from "./exchange-bytes.ts";
import { PLANTED } from "./page-requests.ts";

/**
 * Lists the faults of a public page's answer while nothing is wrong in the system: a 5xx, a page without its policy, a
 * value in a header that only the client has said, a browser that is sent to another site.
 */
export function pageFaultsOf({ status, contentType = "", head }: WireAnswer): string[] {
  const policy = /^content-security-policy: (.*)$/im.exec(head)?.[1] ?? "";
  const refresh = /^refresh: (.*)$/im.exec(head)?.[1];
  const location = /^location: (.*)$/im.exec(head)?.[1];
  return [
    ...(status >= 200 && status < 500 ? [] : [`status ${status}`]),
    ...(contentType.startsWith("text/html") && !policy.includes("default-src 'none'")
      ? ["a page without its Content-Security-Policy"]
      : []),
    ...(head.toLowerCase().includes(PLANTED)
      ? [`a header repeats a value that the client sent: ${head}`]
      : []),
    // The page's own address, by its last segment; a checkout's page says it in its markup.
    ...(refresh === undefined || /^\d+; url=[\w.-]+$/.test(refresh) ? [] : [`a refresh to ${refresh}`]),
    ...(location === undefined || OWN_OR_SHOP.test(location) ? [] : [`a redirect to ${location}`]),
  ];
}

/** A checkout's page, or where the merchant of the test wanted the buyer to go. */
const OWN_OR_SHOP = /^(\/checkout\/[\da-f-]{36}(\?|$)|https:\/\/shop\.example\/(paid|failed)(\?|$))/;
