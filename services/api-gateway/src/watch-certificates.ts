import {
  dependencyServers,
  startCertificateWatch,
  type Logger,
  type PeriodicTask,
} from "@holdfast/service-runtime";
import type { Config } from "./config.ts";
import type { Listener } from "./http/listener.ts";

/** Measures what the gateway's own listeners serve, and what the bus and PostgreSQL do. */
export function watchCertificates(config: Config, listeners: readonly Listener[], log: Logger): PeriodicTask {
  const own = listeners.map(({ name, tlsServers }) => ({ name, servers: tlsServers }));
  return startCertificateWatch({ watched: [...own, ...dependencyServers(config)], log });
}
