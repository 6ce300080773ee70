import type { Exchange } from "../../http/exchange.ts";
import type { IncomingMessage } from "node:http";
import { queryText } from "../../http/routed-request.ts";
import { chooseLocale, type BuyerLocale } from "@holdfast/html";

/** The parts of a request that the page's handlers read beside its body. */
export type PageRequest = {
  locale: BuyerLocale;
  /** `?lang=` of links that stay on the page. */
  query: URLSearchParams;
  /** Sent by the page's script, which reads the answer; a browser's form follows redirects. */
  byScript: boolean;
};

export function readPageRequest(request: IncomingMessage): PageRequest {
  const { headers } = request;
  const query = new URLSearchParams(queryText(request));
  return {
    query,
    locale: chooseLocale(query.get("lang") ?? undefined, headers["accept-language"]),
    byScript: headers.accept === "application/json",
  };
}

/**
 * True if the browser says that another site's page made the request. Old browsers say nothing; against them
 * the form has a token, which no other site can know.
 */
export function isCrossSite({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin";
}

/** The buyer's address as the listener sees it, past the trusted proxies. The port is the connection's. */
export function addressOf({ clientAddress, req }: Exchange): { requestIp: string; requestPort: number } {
  return { requestIp: clientAddress || "0.0.0.0", requestPort: req.socket.remotePort ?? 1 };
}
