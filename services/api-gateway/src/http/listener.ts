import type { IncomingMessage, ServerResponse } from "node:http";
import {
  boundBodyTime,
  createClientAddress,
  HTTP_TIMEOUTS,
  startHttpServer,
  type ClientAddress,
  type HttpServer,
  type HttpServerOptions,
} from "@holdfast/http-server";
import type { Router } from "express";
import { faultOfHead, refuseBrokenHttp } from "./broken-http.ts";
import { Exchange, exchangeOf, type ListenerState } from "./exchange.ts";
import { answerError, refuse } from "./problem-response.ts";
import { createRefusedAccess } from "./refused-access.ts";
import { Refusal } from "./refusal.ts";
import { logExchange } from "./request-log.ts";
import { startServerSpan } from "./server-span.ts";

export type Listener = HttpServer & { name: ListenerState["name"] };

export type ListenerOptions = Pick<
  HttpServerOptions,
  "host" | "port" | "log" | "tls" | "certificateIntervalMs" | "connectionsMax"
> & {
  name: ListenerState["name"];
  router: Router;
  timeouts?: typeof CLIENT_TIMEOUTS;
  clientAddress?: ClientAddress;
};

/**
 * One HTTP server, over TLS or plain. Every answer has a request id and forbids caching, whether it comes
 * from a route, from a router without a matching or with a throwing route, or from the parser.
 *
 * @throws ListenerCertificateError if the TLS files cannot be served
 */
export async function startListener({
  name,
  router,
  timeouts: { answerTimeout, uploadTimeout, ...timeouts } = CLIENT_TIMEOUTS,
  clientAddress = createClientAddress([]),
  ...options
}: ListenerOptions): Promise<Listener> {
  const { log } = options;
  const state: ListenerState = { name, draining: false, answerTimeoutMs: answerTimeout };
  const countRefused = createRefusedAccess(name);

  const onRequest = (request: IncomingMessage, response: ServerResponse, holdsBodyBack: boolean) => {
    const span = startServerSpan(request, options.tls ? "https" : "http");
    const exchange = new Exchange(response, {
      listener: state,
      clientAddress: clientAddress(request),
      trace: span.trace,
      holdsBodyBack,
    });
    response.once("close", () => {
      span.end(exchange);
      logExchange(log, exchange);
      countRefused(exchange);
    });
    cutOffUnread(response, answerTimeout);
    if (uploadTimeout > timeouts.requestTimeout)
      boundBodyTime(request, timeouts.requestTimeout, () => {
        if (!exchange.isUpload) onBroken(new LateRequestError(), request.socket, response);
      });
    const fault = faultOfHead(request);
    if (fault) {
      exchange.isLast = true;
      return refuse(exchange, new Refusal(fault));
    }
    span.run(() => routeTo(router, request, response));
  };

  const onBroken = (
    error: NodeJS.ErrnoException,
    socket: IncomingMessage["socket"],
    latest: ServerResponse | undefined,
  ) => {
    const answered = refuseBrokenHttp(error, socket, latest && exchangeOf(latest));
    if (answered) log.info({ listener: name, ...answered }, "request");
  };

  const server = await startHttpServer({
    ...options,
    name,
    // Node knows one limit for all requests of a server, so it gets the longest.
    timeouts: { ...timeouts, requestTimeout: Math.max(timeouts.requestTimeout, uploadTimeout) },
    onRequest,
    unrouted: { onBroken, isLast: (response) => exchangeOf(response).isLast },
  });
  return {
    ...server,
    name,
    async stop(timeoutMs) {
      state.draining = true;
      await server.stop(timeoutMs);
    },
  };
}

function routeTo(router: Router, request: IncomingMessage, response: ServerResponse): void {
  const exchange = exchangeOf(response);
  // The router is typed for express's request and response; it uses only what Node's have, too.
  router(request as never, response as never, (error?: unknown) => {
    if (error) answerError(exchange, error);
    else refuse(exchange, new Refusal("route_not_found"));
  });
}

/** A request that has not arrived in its time, as Node itself names it. */
class LateRequestError extends Error {
  override name = "LateRequestError";
  readonly code = "ERR_HTTP_REQUEST_TIMEOUT";
}

/** Once all of an answer is at the socket, the client has `timeoutMs` to read it. Node itself would wait forever. */
function cutOffUnread(response: ServerResponse, timeoutMs: number): void {
  response.once("prefinish", () => {
    if (!response.socket?.writableLength) return;
    const { socket } = response;
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    response.once("close", () => clearTimeout(timer));
  });
}

export const CLIENT_TIMEOUTS = {
  ...HTTP_TIMEOUTS,
  // The time for a request whose body is forwarded as it arrives. Without uploads it is the usual time.
  uploadTimeout: 0,
  // A client that reads its answer slowly is cut off, too.
  answerTimeout: 15_000,
};
