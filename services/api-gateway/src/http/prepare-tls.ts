import type { Server } from "node:https";
import type { SecureContextOptions } from "node:tls";
import { oncePerSecond, type Logger } from "@holdfast/service-runtime";
import { boundHandshakes } from "./handshakes.ts";
import { followFiles, readServedCertificate, type TlsFiles } from "./served-certificate.ts";

export type TlsOptions = {
  /** The listener's. */
  name: string;
  files: TlsFiles;
  connectionsMax: number;
  certificateIntervalMs: number;
  log: Logger;
};

/** TLS for a listener: the context that its server is made with, and the work that begins with the server. */
export type PreparedTls = {
  context: SecureContextOptions;
  begin(server: Server, onDropped: () => void): { stop(timeoutMs: number): Promise<void> };
};

/** @throws ListenerCertificateError when the files cannot be served */
export async function prepareTls({
  name,
  files,
  connectionsMax,
  certificateIntervalMs,
  log,
}: TlsOptions): Promise<PreparedTls> {
  const served = await readServedCertificate(files);
  return {
    context: served.context,
    begin(server, onDropped) {
      const handshakes = boundHandshakes(server, {
        max: Math.max(1, Math.floor(connectionsMax * HANDSHAKES_SHARE)),
        onDropped,
        onFailed: reportFailures(name, log),
      });
      const following = followFiles({
        listener: name,
        files,
        server,
        served,
        intervalMs: certificateIntervalMs,
        log,
      });
      return {
        async stop(timeoutMs) {
          handshakes.destroy();
          await following.stop(timeoutMs);
        },
      };
    },
  };
}

/** Unfinished handshakes have at most this share of the connections and leave the others to working clients. */
const HANDSHAKES_SHARE = 1 / 4;

function reportFailures(listener: string, log: Logger): (code: string) => void {
  let lastCode: string;
  const report = oncePerSecond((count) =>
    log.warn({ listener, count, code: lastCode }, "TLS handshakes failed"),
  );
  return (code) => {
    lastCode = code;
    report();
  };
}
