import type { IncomingHttpHeaders } from "node:http";

export function originOf(url: string): string {
  return new URL(url).origin;
}

/**
 * Tells by the browser's headers that a page of ours sent a form. A request without such headers is judged by the
 * form's token alone, which no other site can know.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const { origin: sender, "sec-fetch-site": site } = headers;
  return (site === undefined || site === "same-origin") && (sender === undefined || sender === origin);
}

/** True only if the browser says explicitly that the request has the same origin. */
export function isSaidSameOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  return (headers.origin ?? headers["sec-fetch-site"]) !== undefined && isSameOrigin(headers, origin);
}
