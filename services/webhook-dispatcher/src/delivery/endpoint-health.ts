/**
 * What this process has lately seen of an endpoint, and how much it therefore dares to send there. Pure. Kept in memory
 * and for each process: another one learns for itself, and a restart forgets.
 */
export type EndpointHealth = {
  failuresInRow: number;
  /** The latest results, the newest last; true for a failure. */
  recent: readonly boolean[];
  /** An open breaker never pauses: one request at a time goes on, and so does the schedule. */
  open: boolean;
  /** Requests at once. */
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
    // Closing forgets the failures and starts slowly, with one, two, four requests at once.
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
 * How many requests may be under way now. An endpoint that has fallen silent, by its own pace, is held to a few until
 * it answers or times out: when many of them fall silent at once they must not take all sockets before the first
 * time-out.
 *
 * @param oldestAgeMs how long the oldest request under way has been.
 */
export function capNow({ cap, durationMs }: EndpointHealth, oldestAgeMs: number): number {
  const patienceMs = Math.min(PATIENCE_MAX_MS, Math.max(PATIENCE_MIN_MS, PATIENCE_DURATIONS * durationMs));
  return oldestAgeMs > patienceMs ? Math.min(cap, SILENT_CAP) : cap;
}

/**
 * How many deliveries to hold in memory for an endpoint: what it answers within two seconds at its present pace, so
 * that a fast one is not held up by a claim for each handful; for one that is in doubt no more than is under way.
 */
export function holdMax({ open, cap, durationMs, failuresInRow }: EndpointHealth): number {
  if (open || failuresInRow > 0) return cap;
  return Math.min(HOLD_MAX, Math.max(cap, Math.floor((cap * HOLD_FOR_MS) / Math.max(durationMs, 1))));
}

function keepLatest(recent: readonly boolean[], failed: boolean): boolean[] {
  return [...recent, failed].slice(-RECENT_MAX);
}

const OPEN_AFTER_IN_ROW = 5;
const RECENT_MAX = 20;
const OPEN_AFTER_OF_RECENT = RECENT_MAX / 2;
const HOLD_FOR_MS = 2_000;
const HOLD_MAX = 256;
/** Until something is known an endpoint is held to be slow. */
const UNKNOWN_DURATION_MS = HOLD_FOR_MS;
const DURATION_WEIGHT = 0.2;
const PATIENCE_DURATIONS = 4;
const PATIENCE_MIN_MS = 250;
const PATIENCE_MAX_MS = 1_000;
const SILENT_CAP = 2;
