import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { exchangeOf, type Exchange } from "./exchange.ts";

/** A request that express's router has matched with a path. */
export type RoutedRequest = IncomingMessage & { params: Params };
export type RoutedHandler = RequestHandler<Params>;
type Params = Record<string, string>;

export function requestHandler(
  handle: (request: RoutedRequest, exchange: Exchange, next: () => void) => Promise<void> | void,
): RoutedHandler {
  return (request, response, next) => handle(request, exchangeOf(response), next);
}

/** The query of a request's URL, as it was sent. */
export function queryText({ url = "" }: Pick<IncomingMessage, "url">): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}
