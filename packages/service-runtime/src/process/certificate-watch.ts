import { meterOf } from "@holdfast/telemetry";
import type { Logger } from "./logger.ts";
import { startPeriodicTask, type PeriodicTask } from "../work/periodic-task.ts";
import { isVerifiedPostgres, isTlsBus } from "../settings/plaintext.ts";
import { readPeerCertificate, type TlsServer } from "./read-peer-certificate.ts";

/** Servers that share a name in the metric: `merchant`, `nats`, `postgres`. */
export type WatchedServers = { name: string; servers: readonly TlsServer[] };

export type CertificateWatchOptions = {
  watched: readonly WatchedServers[];
  intervalMs?: number;
  log: Logger;
};

/**
 * Measures when the certificates end that are really served, by a handshake each minute: a Secret that was renewed says
 * nothing about the process that has not read it. Of several servers with one name the earliest end counts. A server
 * that does not answer keeps the value it had, and is logged once.
 */
export function startCertificateWatch({
  watched,
  intervalMs = 60_000,
  log,
}: CertificateWatchOptions): PeriodicTask {
  const ends = new Map<string, number>();
  const silent = new Set<string>();
  const gauge = meterOf("service-runtime").createGauge("holdfast.tls.certificate.expires_in", {
    description: "Time until the certificate ends that a server really serves, by server",
    unit: "s",
  });
  return startPeriodicTask("certificate watch", {
    intervalMs,
    log,
    async round() {
      for (const { name, servers } of watched) {
        const found = await Promise.allSettled(servers.map(readPeerCertificate));
        const answered = found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
        const failure = found.find((one) => one.status === "rejected");
        if (answered.length > 0) {
          ends.set(name, Math.min(...answered.map(({ validToDate }) => validToDate.getTime())));
        }
        if (failure && !silent.has(name)) {
          log.warn(
            { server: name, error: failure.reason },
            "the certificate that is served could not be seen",
          );
        }
        if (failure) silent.add(name);
        else silent.delete(name);
      }
      for (const [server, end] of ends) gauge.record((end - Date.now()) / 1_000, { server });
    },
  });
}

/** PostgreSQL and the bus, as far as a service reaches them over TLS. */
export function dependencyServers(settings: {
  DATABASE_URL: string;
  /** Set for a service that is on the bus. */
  NATS_URL?: string;
  NATS_CA_FILE?: string | undefined;
  NATS_CERT_FILE?: string | undefined;
  NATS_KEY_FILE?: string | undefined;
}): WatchedServers[] {
  const { hostname, port } = new URL(settings.DATABASE_URL);
  const files = { certFile: settings.NATS_CERT_FILE, keyFile: settings.NATS_KEY_FILE };
  return [
    ...(isVerifiedPostgres(settings.DATABASE_URL)
      ? [
          {
            name: "postgres",
            servers: [{ host: bare(hostname), port: Number(port || 5432), preamble: "postgres" as const }],
          },
        ]
      : []),
    ...(settings.NATS_URL !== undefined && isTlsBus({ ...settings, NATS_URL: settings.NATS_URL })
      ? [{ name: "nats", servers: settings.NATS_URL.split(",").map((url) => busServer(url, files)) }]
      : []),
  ];
}

function busServer(url: string, files: Pick<TlsServer, "certFile" | "keyFile">): TlsServer {
  const { hostname, port } = new URL(url);
  return { host: bare(hostname), port: Number(port || 4222), preamble: "nats", ...files };
}

/** An IPv6 address without the brackets that it has in a URL. */
function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
