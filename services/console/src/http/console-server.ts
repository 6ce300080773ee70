import { readFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { listen, startPeriodicTask, type Logger } from "@holdfast/service-runtime";
import { FILE_MS_MAX } from "./body-time.ts";

export type ConsoleServer = { port: number; stop(timeoutMs: number): Promise<void> };

export type TlsFiles = { certFile: string; keyFile: string };

/** The console's one listener, over TLS or plain, with a bound on every wait. */
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
  const { tls, log } = options;
  const server: Server = tls
    ? createTlsServer({ ...TIMEOUTS, ...(await readCertificate(tls)) }, onRequest)
    : createServer(TIMEOUTS, onRequest);
  server.maxConnections = options.connectionsMax;
  const renewal =
    tls &&
    startPeriodicTask("read the certificate again", {
      intervalMs: CERTIFICATE_INTERVAL_MS,
      round: async () => (server as TlsServer).setSecureContext(await readCertificate(tls)),
      log,
    });
  await listen(server, options.host, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    async stop(timeoutMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await Promise.all([closed, renewal?.stop(timeoutMs)]);
      clearTimeout(timer);
    },
  };
}

async function readCertificate({ certFile, keyFile }: TlsFiles): Promise<{ cert: Buffer; key: Buffer }> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  return { cert, key };
}

const CERTIFICATE_INTERVAL_MS = 30_000;

const TIMEOUTS = {
  headersTimeout: 10_000,
  // A form has less (`boundBodyTime`).
  requestTimeout: FILE_MS_MAX,
  connectionsCheckingInterval: 1_000,
  // Longer than load balancers keep idle connections (60 s), so that they close first and not we under their request.
  keepAliveTimeout: 65_000,
};
