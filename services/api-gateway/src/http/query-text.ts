import type { IncomingMessage } from "node:http";

/** What a request's address has behind its question mark, as it was sent. */
export function queryText({ url = "" }: Pick<IncomingMessage, "url">): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}
