import type { Logger } from "@holdfast/service-runtime";
import { metrics } from "@holdfast/telemetry";

/**
 * Complains of a listener's requests that a proxy seems to have forwarded while none is trusted: then all clients behind it
 * have one address, and share its limits. A client can send the header itself, so one request proves nothing: the log
 * says it once a minute at most, and the alert waits for many.
 */
export function watchForwarding(
  log: Logger,
  listener: string,
  now: () => number = () => performance.now(),
): () => void {
  const unread = metrics.getMeter("api-gateway").createCounter("holdfast.http.forwarded.unread", {
    description: "Requests with X-Forwarded-For while no proxy is trusted",
  });
  unread.add(0);
  let quietUntil = 0;
  return () => {
    unread.add(1);
    if (now() < quietUntil) return;
    quietUntil = now() + LOG_INTERVAL_MS;
    log.error({ listener }, "X-Forwarded-For is not read, since TRUSTED_PROXIES names no proxy");
  };
}

const LOG_INTERVAL_MS = 60_000;
