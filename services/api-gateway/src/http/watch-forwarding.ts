import type { UnreadForwarding } from "@holdfast/http-server";
import type { Logger } from "@holdfast/service-runtime";
import { meterOf } from "@holdfast/telemetry";

/**
 * Complains of a listener's requests that a proxy seems to have forwarded without naming their client: then all clients
 * behind it have one address, and share its limits. Where no proxy is trusted, a client can have sent the header itself,
 * so one request proves nothing. The log says it once a minute at most, and the alert waits for many.
 */
export function watchForwarding(
  log: Logger,
  listener: string,
  now: () => number = () => performance.now(),
): (why: UnreadForwarding) => void {
  const unread = meterOf("api-gateway").createCounter("holdfast.http.forwarded.unread", {
    description: "Requests with X-Forwarded-For while no proxy is trusted",
  });
  unread.add(0);
  const quietUntil = { undeclared: 0, unreadable: 0 };
  return (why) => {
    if (why === "undeclared") unread.add(1);
    if (now() < quietUntil[why]) return;
    quietUntil[why] = now() + LOG_INTERVAL_MS;
    if (why === "undeclared")
      log.error({ listener }, "X-Forwarded-For is not read, since TRUSTED_PROXIES names no proxy");
    else log.warn({ listener }, "X-Forwarded-For of a trusted proxy names no address: its own counts");
  };
}

const LOG_INTERVAL_MS = 60_000;
