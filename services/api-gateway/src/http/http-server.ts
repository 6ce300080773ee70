import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { Exchange } from "./exchange.ts";
import type { HTTP_TIMEOUTS } from "./listener.ts";

export type HttpServerOptions = {
  timeouts: Omit<typeof HTTP_TIMEOUTS, "answerTimeout">;
  onRequest: (request: IncomingMessage, exchange: Exchange) => void;
  /** Called for bytes that were no request. */
  onBroken: (error: NodeJS.ErrnoException, socket: Socket) => void;
  /** The certificate and keys for TLS; without them the server speaks plain HTTP. */
  tls: TlsOptions | undefined;
};

/** Node's server without any answer of its own. */
export function createHttpServer({ timeouts, onRequest, onBroken, tls }: HttpServerOptions) {
  const server = createPlainOrTlsServer(tls, {
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

type ServerSettings = Parameters<typeof createServer<typeof IncomingMessage, typeof Exchange>>[0];

function createPlainOrTlsServer(
  tls: TlsOptions | undefined,
  settings: ServerSettings,
): Server<typeof IncomingMessage, typeof Exchange> {
  if (!tls) return createServer(settings);
  return createTlsServer({ ...settings, ...tls });
}
