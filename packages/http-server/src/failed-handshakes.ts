import type { AddressInfo } from "node:net";
import type { Server } from "node:https";
import { meterOf } from "@holdfast/telemetry";
import { type Logger, oncePerSecond, type TlsServer } from "@holdfast/service-runtime";

/**
 * Ends each handshake that fails without an answer, and counts it. One line a second has the code of the last reason:
 * `ERR_SSL_HTTP_REQUEST` for a client that speaks plain HTTP.
 */
export function noteFailedHandshakes(server: Server, listener: string, log: Logger): void {
  const failed = meterOf("http-server").createCounter("holdfast.tls.handshakes.failed", {
    description: "TLS handshakes of clients that did not succeed",
  });
  let lastCode: string;
  const report = oncePerSecond((count) =>
    log.warn({ listener, count, code: lastCode }, "TLS handshakes failed"),
  );
  // Node would answer as to broken HTTP, on a connection that cannot carry an answer.
  server.removeAllListeners("tlsClientError");
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    socket.destroy();
    const code = String(socket.authorizationError ?? error.code);
    // Gone by itself: a load balancer looks whether the port is open. Or it was this process, which looked at its certificate.
    if (code === "ECONNRESET" || ownPorts.has(socket.remotePort ?? 0)) return;
    failed.add(1);
    lastCode = code;
    report();
  });
}

/** Ports from which this process itself connects, to see what it serves. */
const ownPorts = new Set<number>();

/** The address of a listener with TLS for this very process, which looks at the certificate in use. */
export function ownTlsServer({ address, port }: AddressInfo): TlsServer {
  const host = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : address;
  return {
    host,
    port,
    onConnected(localPort) {
      ownPorts.add(localPort);
      return () => void ownPorts.delete(localPort);
    },
  };
}
