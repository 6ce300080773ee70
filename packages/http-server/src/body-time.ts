import type { IncomingMessage } from "node:http";

/**
 * Bounds how long a request may take to arrive, in the place of its former bound: Node knows one limit for all requests
 * of a server.
 *
 * @param onLate called for a request that has not arrived by then.
 */
export function boundBodyTime(request: IncomingMessage, timeoutMs: number, onLate: () => void): void {
  const former = timers.get(request);
  clearTimeout(former);
  const timer = setTimeout(() => {
    if (!request.complete) onLate();
  }, timeoutMs);
  timers.set(request, timer);
  if (!former) request.once("close", () => clearTimeout(timers.get(request)));
}

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
