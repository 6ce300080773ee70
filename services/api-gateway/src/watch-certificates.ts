import {
  dependencyServers,
  startCertificateWatch,
  type Logger,
  type PeriodicTask,
} from "@holdfast/service-runtime";
import type { Config } from "./config.ts";
import type { Listener } from "./http/listener.ts";

/** Measures what the gateway's own listener serves, and what the bus and PostgreSQL do. */
export function watchCertificates(config: Config, listener: Listener, log: Logger): PeriodicTask {
  const own = { name: listener.name, servers: listener.tlsServers };
  return startCertificateWatch({ watched: [own, ...dependencyServers(config)], log });
}
