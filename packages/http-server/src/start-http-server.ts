import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsHttpServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { listen, type Logger, type TlsServer } from "@holdfast/service-runtime";
import { boundConnections } from "./bound-connections.ts";
import { ownTlsServer } from "./failed-handshakes.ts";
import { prepareTls } from "./prepare-tls.ts";
import type { TlsFiles } from "./served-certificate.ts";

export type HttpServer = {
  port: number;
  /** The addresses where this process sees the certificate in use; empty for plain HTTP. */
  tlsServers: TlsServer[];
  /** Accepts no new connections, lets requests under way be answered, and closes what is left after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

export type HttpServerOptions = {
  /** The listener's name, for the log. */
  name: string;
  host: string;
  port: number;
  log: Logger;
  /** The TLS files; without them the server uses plain HTTP. */
  tls?: TlsFiles | undefined;
  /** The interval at which the TLS files are checked. */
  certificateIntervalMs?: number | undefined;
  timeouts: typeof HTTP_TIMEOUTS;
  /** The most open connections; one more replaces the longest idle one of the address with the most. */
  connectionsMax: number;
  /** @param holdsBodyBack with `unrouted`: the client sends the body once it is requested (RFC 9110, 10.1.1). */
  onRequest: (request: IncomingMessage, response: ServerResponse, holdsBodyBack: boolean) => void;
  /** The answer to bytes that never become a request; by default Node answers. */
  unrouted?: Unrouted;
};

/** The part of HTTP that reaches no application. */
export type Unrouted = {
  /** Called for bytes that were no request. @param latest the connection's latest answer, if it had a request. */
  onBroken: (error: NodeJS.ErrnoException, socket: Socket, latest: ServerResponse | undefined) => void;
  /** True if a connection ends with this answer: nothing that was sent behind it is read. */
  isLast: (response: ServerResponse) => boolean;
};

export const HTTP_TIMEOUTS = {
  // A client that sends slowly is cut off within 15 s, the interval of the checks included. With Node's own 60 s and
  // 300 s few clients could keep many sockets.
  headersTimeout: 10_000,
  requestTimeout: 14_000,
  connectionsCheckingInterval: 1_000,
  // Longer than load balancers keep idle connections (60 s), so that they close first, and not we during
  // their request.
  keepAliveTimeout: 65_000,
};

/**
 * One HTTP server, over TLS or plain, with a bound on its connections and on every wait for a client.
 *
 * @throws ListenerCertificateError when the TLS files cannot be served
 */
export async function startHttpServer({
  name,
  host,
  port,
  log,
  tls,
  certificateIntervalMs,
  timeouts,
  connectionsMax,
  onRequest,
  unrouted,
}: HttpServerOptions): Promise<HttpServer> {
  /** Open connections, each with its latest answer. */
  const connections = new Map<Socket, ServerResponse | undefined>();
  const handshakeTimeoutMs = timeouts.headersTimeout;
  const secured =
    tls && (await prepareTls({ name, files: tls, handshakeTimeoutMs, certificateIntervalMs, log }));
  // Node's own answer to a missing Host would come before `unrouted`.
  const settings = { ...timeouts, requireHostHeader: !unrouted, insecureHTTPParser: false };
  const server = secured ? createTlsServer({ ...settings, ...secured.options }) : createServer(settings);
  const bound = boundConnections(server, { name, connectionsMax, overTls: secured !== undefined, log });
  server.on(secured ? "secureConnection" : "connection", (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once("close", () => connections.delete(socket));
  });
  let isStopping = false;
  const take: Take = (request, response, holdsBodyBack) => {
    const latest = connections.get(request.socket);
    // The connection is over with the answer before, so nothing behind it may have an effect.
    if (latest && (isStopping || unrouted?.isLast(latest))) return;
    connections.set(request.socket, response);
    bound.keepForAnswer(request, response);
    onRequest(request, response, holdsBodyBack);
  };
  server.on("request", (request, response) => take(request, response, false));
  if (unrouted)
    answerOurselves(server, take, (error, socket) =>
      unrouted.onBroken(error, socket, connections.get(socket)),
    );
  const tlsOfServer = secured?.begin(server as TlsHttpServer, bound);
  await listen(server, host, port);
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    tlsServers: secured ? [ownTlsServer(address)] : [],
    async stop(timeoutMs) {
      isStopping = true;
      await Promise.all([drain(server, connections, timeoutMs), tlsOfServer?.stop(timeoutMs)]);
    },
  };
}

type Take = HttpServerOptions["onRequest"];

/** Takes away every answer that Node has of its own. */
function answerOurselves(
  server: Server,
  take: Take,
  onBroken: (error: NodeJS.ErrnoException, socket: Socket) => void,
): void {
  // An expectation other than 100-continue may be ignored (RFC 9110, 10.1.1); Node would refuse it without a body.
  server.on("checkExpectation", (request, response) => take(request, response, false));
  // Node would request the body before the client has signed in.
  server.on("checkContinue", (request, response) => take(request, response, true));
  server.on("clientError", (error, socket) => onBroken(error, socket as Socket));
  // A request for a tunnel; Node would close the connection without an answer.
  server.on("connect", (_request, socket) => {
    // Node has detached the socket: a reset without a listener would end the process.
    socket.on("error", () => socket.destroy());
    onBroken(new Error("there are no tunnels here"), socket as Socket);
  });
}

async function drain(
  server: Server,
  connections: ReadonlyMap<Socket, ServerResponse | undefined>,
  timeoutMs: number,
): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // Closes idle connections, and those with a piece of a request: Node would wait for the rest until its time-out for
  // headers.
  for (const [socket, response] of connections) {
    if (!response || response.writableFinished) socket.destroy();
    else endAfter(response, socket);
  }
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearTimeout(timer);
}

/** Ends a connection with an answer that is under way. Node would keep it for the client's next request. */
function endAfter(response: ServerResponse, socket: Socket): void {
  response.shouldKeepAlive = false;
  response.once("finish", () => socket.destroySoon());
}
