import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { Exchange } from "./exchange.ts";

/** A request that express's router has matched with a path. */
export type RoutedRequest = IncomingMessage & { params: Record<string, string> };

export function requestHandler(
  handle: (request: RoutedRequest, exchange: Exchange, next: () => void) => Promise<void> | void,
): RequestHandler {
  // express's types name its own request and response; here they are the server's.
  return handle as unknown as RequestHandler;
}

/** The query of a request's URL, as it was sent. */
export function queryText({ url = "" }: Pick<IncomingMessage, "url">): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}
