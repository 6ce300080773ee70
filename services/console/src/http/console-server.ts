import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer, type Server as TlsHttpServer } from "node:https";
import type { AddressInfo } from "node:net";
import { listen, type Logger, type TlsServer } from "@holdfast/service-runtime";
import {
  boundConnections,
  ownTlsServer,
  prepareTls,
  type TlsFiles,
} from "@holdfast/service-runtime/listener";
import { FILE_MS_MAX } from "./body-time.ts";

export type ConsoleServer = {
  port: number;
  /** The address where this process sees the certificate in use; none for plain HTTP. */
  tlsServers: TlsServer[];
  stop(timeoutMs: number): Promise<void>;
};

/**
 * The console's one listener, over TLS or plain, with a bound on every wait.
 *
 * @throws ListenerCertificateError when the TLS files cannot be served
 */
export async function startConsoleServer(
  onRequest: RequestListener,
  options: {
    host: string;
    port: number;
    connectionsMax: number;
    /** The listener uses plain HTTP without them. */
    tls: TlsFiles | undefined;
    log: Logger;
  },
): Promise<ConsoleServer> {
  const { tls, connectionsMax, log } = options;
  const handshakeTimeoutMs = TIMEOUTS.headersTimeout;
  const secured = tls && (await prepareTls({ name: "console", files: tls, handshakeTimeoutMs, log }));
  const server = secured ? createTlsServer({ ...TIMEOUTS, ...secured.options }) : createServer(TIMEOUTS);
  const bound = boundConnections(server, {
    name: "console",
    connectionsMax,
    overTls: secured !== undefined,
    log,
  });
  server.on("request", (request, response) => {
    bound.keepForAnswer(request, response);
    onRequest(request, response);
  });
  const tlsOfServer = secured?.begin(server as TlsHttpServer, bound);
  await listen(server, options.host, options.port);
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    tlsServers: secured ? [ownTlsServer(address)] : [],
    async stop(timeoutMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await Promise.all([closed, tlsOfServer?.stop(timeoutMs)]);
      clearTimeout(timer);
    },
  };
}

const TIMEOUTS = {
  headersTimeout: 10_000,
  // A form has less (`boundBodyTime`).
  requestTimeout: FILE_MS_MAX,
  connectionsCheckingInterval: 1_000,
  // Longer than load balancers keep idle connections (60 s), so that they close first and not we under their request.
  keepAliveTimeout: 65_000,
};
