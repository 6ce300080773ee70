/**
 * The latest results of an endpoint in this process, and how much it may send there because of them. The functions are
 * pure. The state is in memory: each process learns for itself, and a restart forgets.
 */
export type EndpointHealth = {
  failuresInRow: number;
  /** The latest results, the newest last; true for a failure. */
  recent: readonly boolean[];
  /** An open breaker never pauses: one request at a time continues, and so does the schedule. */
  open: boolean;
  /** The most requests in flight. */
  cap: number;
  /** Moving average of how long answers take. */
  durationMs: number;
};

export type SendResult = { kind: "success" | "failure" | "timeout"; durationMs: number };

export function newEndpointHealth(maxInFlight: number): EndpointHealth {
  return { failuresInRow: 0, recent: [], open: false, cap: maxInFlight, durationMs: UNKNOWN_DURATION_MS };
}

export function afterResult(
  health: EndpointHealth,
  { kind, durationMs }: SendResult,
  maxInFlight: number,
): EndpointHealth {
  const average = health.durationMs + (durationMs - health.durationMs) * DURATION_WEIGHT;
  if (kind === "success") {
    // Closing forgets the failures and starts slowly, with one, two, four requests in flight.
    const recent = health.open ? [] : keepLatest(health.recent, false);
    const cap = Math.min(maxInFlight, health.cap * 2);
    return { failuresInRow: 0, recent, open: false, cap, durationMs: average };
  }
  const failuresInRow = health.failuresInRow + 1;
  const recent = keepLatest(health.recent, true);
  const open =
    health.open ||
    failuresInRow >= OPEN_AFTER_IN_ROW ||
    recent.filter(Boolean).length >= OPEN_AFTER_OF_RECENT;
  const cap = open || kind === "timeout" ? 1 : Math.min(health.cap, maxInFlight);
  return { failuresInRow, recent, open, cap, durationMs: average };
}

/**
 * The number of requests that may be under way now. An endpoint that is silent for long, by its own pace, is limited to
 * a few until it answers or times out: when many of them fall silent together they must not take all sockets before the
 * first time-out.
 *
 * @param oldestAgeMs age of the oldest request under way.
 */
export function capNow({ cap, durationMs }: EndpointHealth, oldestAgeMs: number): number {
  const patienceMs = Math.min(PATIENCE_MAX_MS, Math.max(PATIENCE_MIN_MS, PATIENCE_DURATIONS * durationMs));
  return oldestAgeMs > patienceMs ? Math.min(cap, SILENT_CAP) : cap;
}

/**
 * The number of deliveries to keep in memory for an endpoint: as many as it answers within two seconds at its
 * present pace, so that a fast one does not wait for a claim after each handful. After a failure it is the
 * number under way.
 */
export function keepMax({ open, cap, durationMs, failuresInRow }: EndpointHealth): number {
  if (open || failuresInRow > 0) return cap;
  return Math.min(KEPT_MAX, Math.max(cap, Math.floor((cap * KEPT_FOR_MS) / Math.max(durationMs, 1))));
}

/**
 * The number above which deliveries are released. An endpoint that answers well may keep twice the number
 * that would be leased for it now: its answers vary in speed, and deliveries released after a slow one would
 * be leased again after the next fast one.
 */
export function releaseAbove(health: EndpointHealth): number {
  return health.open || health.failuresInRow > 0 ? health.cap : 2 * keepMax(health);
}

function keepLatest(recent: readonly boolean[], failed: boolean): boolean[] {
  return [...recent, failed].slice(-RECENT_MAX);
}

const OPEN_AFTER_IN_ROW = 5;
const RECENT_MAX = 20;
const OPEN_AFTER_OF_RECENT = RECENT_MAX / 2;
const KEPT_FOR_MS = 2_000;
const KEPT_MAX = 256;
/** An endpoint is assumed to be slow until it has answered. */
const UNKNOWN_DURATION_MS = KEPT_FOR_MS;
const DURATION_WEIGHT = 0.2;
const PATIENCE_DURATIONS = 4;
const PATIENCE_MIN_MS = 250;
const PATIENCE_MAX_MS = 1_000;
const SILENT_CAP = 2;
