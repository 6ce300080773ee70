import type { Server } from "node:https";
import type { Socket } from "node:net";
import { metrics } from "@holdfast/telemetry";

/** TLS handshakes that are not over yet. */
export type Handshakes = {
  /** Ends them all. */
  destroy(): void;
};

export type HandshakesOptions = {
  /** Handshakes at the same time; one more connection is closed as soon as it is opened. */
  max: number;
  onDropped: () => void;
  /** A client that did not get through, with the code of the reason: `ERR_SSL_HTTP_REQUEST` for one that speaks plain HTTP. */
  onFailed: (code: string) => void;
};

/**
 * Bounds the handshakes of a server, so that clients which begin one and do not go on take no places from those who have
 * been let in, and ends each that fails without an answer. Node itself cuts off a handshake that takes too long, and knows no
 * connection before its end: `closeAllConnections` leaves it open.
 */
export function boundHandshakes(server: Server, { max, onDropped, onFailed }: HandshakesOptions): Handshakes {
  const failed = metrics.getMeter("api-gateway").createCounter("holdfast.tls.handshakes.failed", {
    description: "TLS handshakes of clients that did not succeed",
  });
  // Keyed by the client's address and port: Node shows the connection first as a plain socket, then as another one.
  const begun = new Map<string, Socket>();
  server.on("connection", (socket) => {
    if (begun.size >= max) {
      onDropped();
      socket.destroy();
      return;
    }
    const key = endOf(socket);
    begun.set(key, socket);
    socket.once("close", () => begun.delete(key));
  });
  server.on("secureConnection", (socket) => begun.delete(endOf(socket)));
  // Node would answer as to broken HTTP, on a connection that cannot carry an answer.
  server.removeAllListeners("tlsClientError");
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    socket.destroy();
    const code = String(socket.authorizationError ?? error.code);
    // Gone by itself: a load balancer looks whether the port is open. Or it was this process, which looked at its certificate.
    if (code === "ECONNRESET" || ownPorts.has(socket.remotePort ?? 0)) return;
    failed.add(1);
    onFailed(code);
  });
  return {
    destroy() {
      for (const socket of begun.values()) socket.destroy();
    },
  };
}

/** Ports from which this process itself connects, to see what it serves. */
const ownPorts = new Set<number>();

/** @returns what ends it */
export function ignoreFailuresFrom(port: number): () => void {
  ownPorts.add(port);
  return () => void ownPorts.delete(port);
}

function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
