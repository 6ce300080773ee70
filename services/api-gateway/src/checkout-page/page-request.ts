import type { IncomingMessage } from "node:http";
import { chooseLocale, type BuyerLocale } from "./choose-language.ts";

/** What the page's handlers read of a request beside its body. */
export type PageRequest = {
  locale: BuyerLocale;
  /** `?lang=` of links that stay on the page. */
  query: URLSearchParams;
  /** Sent by the page's script, which reads the answer; a browser's form follows redirects. */
  byScript: boolean;
};

export function readPageRequest({ url = "", headers }: IncomingMessage): PageRequest {
  const start = url.indexOf("?");
  const query = new URLSearchParams(start === -1 ? "" : url.slice(start + 1));
  return {
    query,
    locale: chooseLocale(query.get("lang") ?? undefined, headers["accept-language"]),
    byScript: headers.accept === "application/json",
  };
}

/**
 * Whether the browser says that another site's page made the request. Old browsers say nothing; the form's token is what
 * nobody else can have.
 */
export function isCrossSite({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin";
}

/** The buyer's address as the listener sees it. */
export function addressOf({ socket }: IncomingMessage): { requestIp: string; requestPort: number } {
  const { remoteAddress = "0.0.0.0", remotePort = 1 } = socket;
  return { requestIp: remoteAddress.replace(/^::ffff:(?=\d+\.)/, ""), requestPort: remotePort };
}
