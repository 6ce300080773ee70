import type { Server } from "node:https";
import type { TlsOptions as ServerOptions } from "node:tls";
import type { Logger } from "@holdfast/service-runtime";
import type { BoundConnections } from "./bound-connections.ts";
import { noteFailedHandshakes } from "./failed-handshakes.ts";
import { followFiles, readServedCertificate, type TlsFiles } from "./served-certificate.ts";

export type TlsOptions = {
  /** The listener's name. */
  name: string;
  files: TlsFiles;
  /** The time limit for a handshake. */
  handshakeTimeoutMs: number;
  /** The interval at which the files are checked. */
  certificateIntervalMs?: number | undefined;
  log: Logger;
};

/** TLS for a listener: the options that its server is made with, and the work that begins with the server. */
export type PreparedTls = {
  options: ServerOptions;
  begin(server: Server, bound: BoundConnections): { stop(timeoutMs: number): Promise<void> };
};

/**
 * The TLS of every listener that people or merchants reach.
 *
 * @throws ListenerCertificateError when the files cannot be served
 */
export async function prepareTls({
  name,
  files,
  handshakeTimeoutMs,
  certificateIntervalMs = CERTIFICATE_INTERVAL_MS,
  log,
}: TlsOptions): Promise<PreparedTls> {
  const served = await readServedCertificate(files);
  return {
    options: {
      ...served.context,
      // The only HTTP version: another one that a client offers must not lead to another parser.
      ALPNProtocols: ["http/1.1"],
      // Node's own limit is two minutes.
      handshakeTimeout: handshakeTimeoutMs,
      // Node then refuses clients without a certificate, or with a certificate of another authority.
      requestCert: served.context.ca !== undefined,
    },
    begin(server, bound) {
      noteFailedHandshakes(server, name, log);
      const intervalMs = certificateIntervalMs;
      const following = followFiles({ listener: name, files, server, served, intervalMs, log });
      return {
        async stop(timeoutMs) {
          bound.closeHandshakes();
          await following.stop(timeoutMs);
        },
      };
    },
  };
}

/** A renewed certificate is served within this time. */
const CERTIFICATE_INTERVAL_MS = 5_000;
