import type { IncomingHttpHeaders } from "node:http";

export function originOf(url: string): string {
  return new URL(url).origin;
}

/**
 * Whether a form was sent by a page of ours, by what browsers say of it. One that says nothing is judged by the form's
 * token alone, which no other site can know.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const { origin: sender, "sec-fetch-site": site } = headers;
  return (site === undefined || site === "same-origin") && (sender === undefined || sender === origin);
}
