import { createServer, IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Router } from "express";
import { listen, type Logger } from "@holdfast/service-runtime";
import { Exchange, type ListenerState } from "./exchange.ts";
import { faultOfHead, refuseBrokenHttp } from "./broken-http.ts";
import { createClientAddress, type ClientAddress } from "./client-address.ts";
import { answerError, refuse } from "./problem-response.ts";
import { Refusal } from "./refusal.ts";
import { createRefusedAccess } from "./refused-access.ts";
import { logExchange } from "./request-log.ts";
import { startServerSpan } from "./server-span.ts";

export type Listener = {
  name: ListenerState["name"];
  port: number;
  /** Accepts no new connections, lets requests under way be answered, and closes what is left after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

export type ListenerOptions = {
  name: ListenerState["name"];
  host: string;
  port: number;
  router: Router;
  log: Logger;
  timeouts?: typeof HTTP_TIMEOUTS;
  /** Open connections; one more is closed as soon as it is opened. */
  connectionsMax: number;
  clientAddress?: ClientAddress;
};

/**
 * One HTTP server. Every answer carries a request id and may not be stored, whether it comes from a route, from the
 * router falling through or throwing, or from the parser that could not read a request.
 */
export async function startListener({
  name,
  host,
  port,
  router,
  log,
  timeouts: { answerTimeout, ...timeouts } = HTTP_TIMEOUTS,
  connectionsMax,
  clientAddress = createClientAddress([]),
}: ListenerOptions): Promise<Listener> {
  const state: ListenerState = { name, draining: false };
  const countRefused = createRefusedAccess(name);
  /** Open connections, each with its latest exchange. */
  const connections = new Map<Socket, Exchange | undefined>();

  const onRequest = (request: IncomingMessage, exchange: Exchange) => {
    // The answer before said that the connection is over, so nothing behind it may have an effect.
    if (connections.get(request.socket)?.isLast) return;
    exchange.listener = state;
    const span = startServerSpan(request);
    exchange.trace = span.trace;
    exchange.clientAddress = clientAddress(request);
    connections.set(request.socket, exchange);
    exchange.once("close", () => {
      span.end(exchange);
      logExchange(log, exchange);
      countRefused(exchange);
    });
    cutOffUnread(exchange, answerTimeout);
    const fault = faultOfHead(request);
    if (fault) {
      exchange.isLast = true;
      return refuse(exchange, new Refusal(fault));
    }
    // The router is typed for express's request and response; it uses only what Node's have, too.
    span.run(() =>
      router(request as never, exchange as never, (error?: unknown) => {
        if (error) answerError(exchange, error);
        else refuse(exchange, new Refusal("route_not_found"));
      }),
    );
  };

  const onBroken = (error: NodeJS.ErrnoException, socket: Socket) => {
    const answered = refuseBrokenHttp(error, socket, connections.get(socket));
    if (answered) log.info({ listener: name, ...answered }, "request");
  };
  const server = createHttpServer({ timeouts, onRequest, onBroken });
  server.on("connection", (socket) => {
    connections.set(socket, undefined);
    socket.once("close", () => connections.delete(socket));
  });
  boundConnections(server, connectionsMax, (dropped) =>
    log.warn({ listener: name, dropped }, "too many connections"),
  );
  await listen(server, host, port);

  return {
    name,
    port: (server.address() as AddressInfo).port,
    async stop(timeoutMs) {
      state.draining = true;
      await drain(server, connections, timeoutMs);
    },
  };
}

async function drain(
  server: Server,
  connections: ReadonlyMap<Socket, Exchange | undefined>,
  timeoutMs: number,
): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // Where only a piece of a request has arrived, Node would wait for the rest until its time-out for headers.
  for (const [socket, exchange] of connections) {
    if (!exchange || exchange.writableFinished) socket.destroy();
  }
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearTimeout(timer);
}

/** One connection too many gets no answer. A log line for each would be a flood of its own: one a second says how many. */
function boundConnections(server: Server, max: number, report: (dropped: number) => void): void {
  server.maxConnections = max;
  let dropped = 0;
  server.on("drop", () => {
    dropped += 1;
    if (dropped > 1) return;
    setTimeout(() => {
      report(dropped);
      dropped = 0;
    }, DROPPED_LOG_INTERVAL_MS).unref();
  });
}

const DROPPED_LOG_INTERVAL_MS = 1_000;

/** Once all of an answer is at the socket, the client has `timeoutMs` to read it. Node itself would wait forever. */
function cutOffUnread(exchange: Exchange, timeoutMs: number): void {
  exchange.once("prefinish", () => {
    if (!exchange.socket?.writableLength) return;
    const { socket } = exchange;
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    exchange.once("close", () => clearTimeout(timer));
  });
}

type HttpServerOptions = {
  timeouts: Omit<typeof HTTP_TIMEOUTS, "answerTimeout">;
  onRequest: (request: IncomingMessage, exchange: Exchange) => void;
  /** Called for bytes that were no request. */
  onBroken: (error: NodeJS.ErrnoException, socket: Socket) => void;
};

/** Node's server without any answer of its own. */
function createHttpServer({ timeouts, onRequest, onBroken }: HttpServerOptions) {
  const server = createServer<typeof IncomingMessage, typeof Exchange>({
    ...timeouts,
    // Node's own answer would have no body; `faultOfHead` checks the header.
    requireHostHeader: false,
    insecureHTTPParser: false,
    ServerResponse: Exchange,
  });
  server.on("request", onRequest);
  // An expectation other than 100-continue may be ignored (RFC 9110, 10.1.1); Node would refuse it without a body.
  server.on("checkExpectation", onRequest);
  // Node would request the body before the client has signed in.
  server.on("checkContinue", (request, exchange) => {
    exchange.expectContinue();
    onRequest(request, exchange);
  });
  server.on("clientError", onBroken);
  // A request for a tunnel; Node would close the connection without an answer.
  server.on("connect", (_request, socket) => {
    // Node has detached the socket: a reset without a listener would end the process.
    socket.on("error", () => socket.destroy());
    onBroken(new Error("there are no tunnels here"), socket as Socket);
  });
  return server;
}

export const HTTP_TIMEOUTS = {
  // A client that sends slowly is cut off within 15 s, the interval of the checks included. With Node's own 60 s and
  // 300 s few clients could keep many sockets.
  headersTimeout: 10_000,
  requestTimeout: 14_000,
  // So is one that reads its answer slowly.
  answerTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  // Longer than load balancers keep idle connections (60 s), so that they close first and not we under their request.
  keepAliveTimeout: 65_000,
};
