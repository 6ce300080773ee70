import type { EventSource } from "@holdfast/contracts";
import type { Bus } from "@holdfast/messaging";
import { pause, type Logger } from "@holdfast/service-runtime";
import type { Pool } from "pg";
import { EventStreamSettingsError, requireEventStream } from "./event-stream.ts";
import { createOutboxMetrics, type OutboxMetrics } from "./outbox-metrics.ts";
import { claimNew, claimUnconfirmed, takeBack, type ClaimedEvent } from "./outbox-statements.ts";
import type { OutboxSettings } from "./outbox-settings.ts";
import { publishEvents } from "./publish-events.ts";

/**
 * Carries committed events from a service's outbox to the event stream. A row stays open until the dispatcher has
 * confirmed it to the owner; no answer of the stream closes one. Any number of relays may run on one outbox.
 */
export type OutboxRelay = {
  /** Starts a round now, since an event was committed. It is called after the commit, never within the transaction. */
  nudge(): void;
  stop(timeoutMs: number): Promise<void>;
};

export type RelayDeps = {
  /** The pool of the service that owns the outbox. */
  pool: Pool;
  bus: Bus;
  source: EventSource;
  settings: OutboxSettings;
  log: Logger;
  /**
   * SQL of what the settlement service needs to know of an event's payment, a JSON of `SettlingTerms`, over the row
   * `outbox`. Without it, it asks.
   */
  settling?: string;
  /** How long a stream that is not as it should be may go on unnoticed. */
  lookAtStreamEveryMs?: number;
};

export function startOutboxRelay(deps: RelayDeps): OutboxRelay {
  const { settings, log } = deps;
  const round = createRelayRound(deps);
  const stopping = new AbortController();
  let nudged = Promise.withResolvers<void>();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      let outcome: RelayRoundOutcome = "idle";
      try {
        outcome = await round();
      } catch (error) {
        // Not caught by anybody, so that the process ends: what this stream would do with the events is not known.
        if (error instanceof EventStreamSettingsError) throw error;
        outcome = "failed";
        log.warn({ operation: "relay", error }, "a round failed");
      }
      const endedAt = performance.now();
      if (outcome === "more" || stopping.signal.aborted) continue;
      await Promise.race([
        nudged.promise,
        pause(outcome === "failed" ? FAILURE_PAUSE_MS : settings.OUTBOX_POLL_INTERVAL),
      ]);
      // While this waits more events are committed, and one claim gets them all, as does the dispatcher's one commit; an
      // event that comes alone does not wait, since the time is over by then.
      const early = endedAt + ROUND_PAUSE_MS - performance.now();
      if (early > 0 && !stopping.signal.aborted) await pause(early);
      nudged = Promise.withResolvers();
    }
  })();
  return {
    nudge: () => nudged.resolve(),
    async stop(timeoutMs) {
      stopping.abort();
      nudged.resolve();
      await Promise.race([running.catch(() => {}), pause(timeoutMs)]);
    },
  };
}

/** `more`: further events may be due immediately; `failed`: the stream or the bus is down. */
export type RelayRoundOutcome = "more" | "idle" | "failed";

/**
 * Makes the function of one round: it publishes new events first, then unconfirmed ones, at a limited rate. A round
 * throws while there is no stream.
 */
export function createRelayRound({
  pool,
  bus,
  source,
  settings,
  log,
  settling = "null::json",
  lookAtStreamEveryMs = 10_000,
}: RelayDeps): () => Promise<RelayRoundOutcome> {
  const metrics = createOutboxMetrics(source);
  const republishRate = createRateLimit(settings.OUTBOX_REPUBLISH_RATE_MAX);
  const republishAfterMs = settings.OUTBOX_REPUBLISH_AFTER;
  let lookAtStreamAt = 0;
  let lookAgainAt = 0;

  const publish = async (events: ClaimedEvent[]): Promise<boolean> => {
    if (events.length === 0) return true;
    const { failed, error } = await publishEvents(bus.nats, source, events);
    countPublished(metrics, events, failed.length);
    if (failed.length === 0) return true;
    log.warn({ operation: "relay", count: failed.length, error }, "events were not published");
    lookAtStreamAt = 0;
    await takeBack(pool, failed, FAILURE_PAUSE_MS);
    return false;
  };

  return async () => {
    // Events that are claimed and cannot be published would only wait longer for their next attempt.
    if (!bus.connected) return "failed";
    if (performance.now() >= lookAtStreamAt) {
      await requireEventStream(bus.nats);
      lookAtStreamAt = performance.now() + lookAtStreamEveryMs;
    }

    const fresh = await claimNew(pool, { limit: BATCH_MAX, republishAfterMs, settling });
    let isPublished = await publish(fresh);
    let isMore = fresh.length === BATCH_MAX;
    if (performance.now() >= lookAgainAt) {
      const limit = Math.min(BATCH_MAX, republishRate.available(performance.now()));
      const unconfirmed =
        limit > 0 ? await claimUnconfirmed(pool, { limit, republishAfterMs, settling }) : [];
      republishRate.take(unconfirmed.length);
      isMore ||= unconfirmed.length === BATCH_MAX;
      if (unconfirmed.length < limit) lookAgainAt = performance.now() + lookAgainMs(republishAfterMs);
      // An event that the stream never takes is claimed with the new ones in each round, and must not stop these.
      isPublished = (await publish(unconfirmed)) && isPublished;
    }
    if (!isPublished) return "failed";
    return isMore ? "more" : "idle";
  };
}

/** The shortest time between two rounds, and so the longest that a webhook waits for others. */
const ROUND_PAUSE_MS = 100;
/** Events claimed by one statement and published side by side. */
const BATCH_MAX = 200;
const FAILURE_PAUSE_MS = 250;
/** Unconfirmed events are looked for less often than new ones: they wait for minutes, and a sixth more is no harm. */
const lookAgainMs = (republishAfterMs: number) => Math.min(10_000, republishAfterMs / 6);

function countPublished(metrics: OutboxMetrics, events: ClaimedEvent[], failures: number): void {
  const again = events.filter(({ publish_attempts }) => publish_attempts > 1).length;
  if (again > 0) metrics.republished(again);
  metrics.published(events.length - failures);
  if (failures > 0) metrics.failed(failures);
}

/** Allows `perSecond` events a second, and as many in one burst. Times are monotonic milliseconds. */
export function createRateLimit(perSecond: number): {
  available(nowMs: number): number;
  take(count: number): void;
} {
  let tokens = perSecond;
  let filledAt: number | undefined;
  return {
    available(nowMs) {
      tokens = Math.min(perSecond, tokens + ((nowMs - (filledAt ?? nowMs)) / 1_000) * perSecond);
      filledAt = nowMs;
      return Math.floor(tokens);
    },
    take(count) {
      tokens -= count;
    },
  };
}
