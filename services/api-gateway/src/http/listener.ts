import type { IncomingMessage, Server } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Router } from "express";
import { listen, type Logger, type TlsServer } from "@holdfast/service-runtime";
import {
  boundConnections,
  ownTlsServer,
  prepareTls,
  type TlsFiles,
} from "@holdfast/service-runtime/listener";
import { Exchange, type ListenerState } from "./exchange.ts";
import { faultOfHead, refuseBrokenHttp } from "./broken-http.ts";
import { createClientAddress, type ClientAddress } from "./client-address.ts";
import { createHttpServer } from "./http-server.ts";
import { answerError, refuse } from "./problem-response.ts";
import { Refusal } from "./refusal.ts";
import { createRefusedAccess } from "./refused-access.ts";
import { logExchange } from "./request-log.ts";
import { startServerSpan } from "./server-span.ts";

export type Listener = {
  name: ListenerState["name"];
  port: number;
  /** The addresses where this process sees the certificate in use; empty for plain HTTP. */
  tlsServers: TlsServer[];
  /** Accepts no new connections, lets requests under way be answered, and closes what is left after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

export type ListenerOptions = {
  name: ListenerState["name"];
  host: string;
  port: number;
  router: Router;
  log: Logger;
  /** Without it the listener speaks plain HTTP. */
  tls?: TlsFiles | undefined;
  /** How often those files are looked at. */
  certificateIntervalMs?: number | undefined;
  timeouts?: typeof HTTP_TIMEOUTS;
  /** Open connections; one more takes the place of the one that has been idle longest, of the address with most. */
  connectionsMax: number;
  clientAddress?: ClientAddress;
};

/**
 * One HTTP server, over TLS or plain. Every answer carries a request id and may not be stored, whether it comes from a
 * route, from the router falling through or throwing, or from the parser that could not read a request.
 *
 * @throws ListenerCertificateError when the TLS files cannot be served
 */
export async function startListener({
  name,
  host,
  port,
  router,
  log,
  tls,
  certificateIntervalMs,
  timeouts: { answerTimeout, ...timeouts } = HTTP_TIMEOUTS,
  connectionsMax,
  clientAddress = createClientAddress([]),
}: ListenerOptions): Promise<Listener> {
  const state: ListenerState = { name, draining: false, answerTimeoutMs: answerTimeout };
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
    bound.keepForAnswer(request, exchange);
    exchange.once("close", () => {
      span.end(exchange);
      logExchange(log, exchange);
      countRefused(exchange);
    });
    cutOffUnread(exchange, answerTimeout);
    if (timeouts.uploadTimeout > timeouts.requestTimeout)
      cutOffLate(exchange, timeouts.requestTimeout, (error) => onBroken(error, request.socket));
    const fault = faultOfHead(request);
    if (fault) {
      exchange.isLast = true;
      return refuse(exchange, new Refusal(fault));
    }
    span.run(() => routeTo(router, request, exchange));
  };

  const onBroken = (error: NodeJS.ErrnoException, socket: Socket) => {
    const answered = refuseBrokenHttp(error, socket, connections.get(socket));
    if (answered) log.info({ listener: name, ...answered }, "request");
  };
  const handshakeTimeoutMs = timeouts.headersTimeout;
  const secured =
    tls && (await prepareTls({ name, files: tls, handshakeTimeoutMs, certificateIntervalMs, log }));
  // Node knows one limit for all requests of a server, so it gets the longest.
  const longest = { ...timeouts, requestTimeout: Math.max(timeouts.requestTimeout, timeouts.uploadTimeout) };
  const server = createHttpServer({ timeouts: longest, onRequest, onBroken, tls: secured?.options });
  server.on(secured ? "secureConnection" : "connection", (socket: Socket) => track(connections, socket));
  const bound = boundConnections(server, { name, connectionsMax, overTls: secured !== undefined, log });
  const tlsOfServer = secured?.begin(server as HttpsServer, bound);
  await listen(server, host, port);

  return {
    name,
    ...reachedAt(server.address() as AddressInfo, secured !== undefined),
    async stop(timeoutMs) {
      state.draining = true;
      await Promise.all([drain(server, connections, timeoutMs), tlsOfServer?.stop(timeoutMs)]);
    },
  };
}

function routeTo(router: Router, request: IncomingMessage, exchange: Exchange): void {
  // The router is typed for express's request and response; it uses only what Node's have, too.
  router(request as never, exchange as never, (error?: unknown) => {
    if (error) answerError(exchange, error);
    else refuse(exchange, new Refusal("route_not_found"));
  });
}

/** An open connection is in the map, without an exchange until its first request. */
function track(connections: Map<Socket, Exchange | undefined>, socket: Socket): void {
  connections.set(socket, undefined);
  socket.once("close", () => connections.delete(socket));
}

function reachedAt(address: AddressInfo, overTls: boolean): Pick<Listener, "port" | "tlsServers"> {
  return { port: address.port, tlsServers: overTls ? [ownTlsServer(address)] : [] };
}

async function drain(
  server: Server,
  connections: ReadonlyMap<Socket, Exchange | undefined>,
  timeoutMs: number,
): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // Closes idle connections, and those with a piece of a request: Node would wait for the rest until its time-out for
  // headers.
  for (const [socket, exchange] of connections) {
    if (!exchange || exchange.writableFinished) socket.destroy();
  }
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearTimeout(timer);
}

/** Once all of an answer is at the socket, the client has `timeoutMs` to read it. Node itself would wait forever. */
function cutOffUnread(exchange: Exchange, timeoutMs: number): void {
  exchange.once("prefinish", () => {
    if (!exchange.socket?.writableLength) return;
    const { socket } = exchange;
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    exchange.once("close", () => clearTimeout(timer));
  });
}

/** Ends late requests as Node does: if the request has not arrived by then, and is no upload, `onLate` is called. */
function cutOffLate(
  exchange: Exchange,
  timeoutMs: number,
  onLate: (error: NodeJS.ErrnoException) => void,
): void {
  const { req } = exchange;
  const timer = setTimeout(() => {
    if (req.complete || exchange.isUpload) return;
    onLate(Object.assign(new Error("the request is late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }));
  }, timeoutMs);
  req.once("close", () => clearTimeout(timer));
}

export const HTTP_TIMEOUTS = {
  // A client that sends slowly is cut off within 15 s, the interval of the checks included. With Node's own 60 s and
  // 300 s few clients could keep many sockets.
  headersTimeout: 10_000,
  requestTimeout: 14_000,
  // The time for a request whose body is passed on as it arrives; as short as any other's where nothing is uploaded.
  uploadTimeout: 0,
  // A client that reads its answer slowly is cut off, too.
  answerTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  // Longer than load balancers keep idle connections (60 s), so that they close first and not we under their request.
  keepAliveTimeout: 65_000,
};
