import type { EventSource } from "@holdfast/contracts";
import type { Bus } from "@holdfast/messaging";
import { pause, type Logger } from "@holdfast/service-runtime";
import type { Pool } from "pg";
import { EventStreamSettingsError, requireEventStream } from "./event-stream.ts";
import {
  beginWriting,
  createEventBuffer,
  type EventsBeingWritten,
  type EventBuffer,
} from "./event-buffer.ts";
import { createOutboxMetrics, type OutboxMetrics } from "./outbox-metrics.ts";
import { claimDue, unclaim, type ClaimedEvent } from "./outbox-statements.ts";
import type { OutboxSettings } from "./outbox-settings.ts";
import { publishEvents } from "./publish-events.ts";

/**
 * Carries committed events from a service's outbox to the event stream. A row stays open until the dispatcher
 * has confirmed it to the owner; no answer of the stream closes a row. Any number of relays may run on one
 * outbox.
 */
export type OutboxRelay = {
  /** Starts a round now, since an event was committed. It is called after the commit, never within the transaction. */
  nudge(): void;
  /** Called before a statement that writes events and is a transaction by itself, so that they need not be claimed. */
  beginWriting(): EventsBeingWritten;
  stop(timeoutMs: number): Promise<void>;
};

export type RelayDeps = {
  /** The pool of the service that owns the outbox. */
  pool: Pool;
  bus: Bus;
  source: EventSource;
  settings: OutboxSettings;
  log: Logger;
  /** The events that the process has committed and not published yet. */
  kept?: EventBuffer;
  /** The longest time for which events are published without a look whether the stream is as it should be. */
  lookAtStreamEveryMs?: number;
};

export function startOutboxRelay({ kept = createEventBuffer(), ...deps }: RelayDeps): OutboxRelay {
  const { settings, bus, log } = deps;
  const round = createRelayRound({ ...deps, kept });
  const stopping = new AbortController();
  let woken = Promise.withResolvers<void>();
  let outcome: RelayRoundOutcome = "idle";
  const looks = createLookTimes(settings);
  const wake = () => woken.resolve();
  const nudge = () => {
    looks.notAfter(0);
    wake();
  };

  const runRound = async (): Promise<RelayRoundOutcome> => {
    const look = looks.begin(performance.now(), { hasKept: kept.size > 0 });
    try {
      const ended = await round({ look });
      if (ended === "more" || ended === "failed") looks.notAfter(0);
      if (ended === "limited") looks.notAfter(performance.now() + LIMITED_PAUSE_MS);
      return ended;
    } catch (error) {
      // The error is not caught, so that the process ends: the stream's treatment of the events is unknown.
      if (error instanceof EventStreamSettingsError) throw error;
      log.warn({ operation: "relay", error }, "a round failed");
      looks.notAfter(0);
      return "failed";
    }
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      outcome = await runRound();
      const endedAt = performance.now();
      const isFullRound = outcome === "more" || (outcome !== "failed" && kept.size >= BATCH_MAX);
      if (isFullRound || stopping.signal.aborted) continue;
      const untilLook = looks.untilMs(endedAt);
      await Promise.race([woken.promise, pause(outcome === "failed" ? FAILURE_PAUSE_MS : untilLook)]);
      // Meanwhile the merchant is answered and more events are committed, so that one round, and one commit of the
      // dispatcher, has them all.
      const early = Math.max(ANSWER_FIRST_MS, endedAt + ROUND_PAUSE_MS - performance.now());
      await pause(early, stopping.signal);
      woken = Promise.withResolvers();
    }
    // Events committed meanwhile would otherwise wait until a relay looks for unconfirmed ones.
    while (kept.size > 0 && outcome !== "failed") outcome = await runRound();
  };
  const running = run();
  return {
    nudge,
    beginWriting() {
      // While nothing can be published, the rows are left for the relay to claim later.
      const mayKeep = bus.connected && outcome !== "failed" && !stopping.signal.aborted;
      return beginWriting(kept, { claimMs: mayKeep ? claimMs(settings) : null, wake, nudge });
    },
    async stop(timeoutMs) {
      stopping.abort();
      wake();
      await Promise.race([running.catch(() => {}), pause(timeoutMs)]);
    },
  };
}

/**
 * Decides when the relay looks in the outbox. A row that was left to its process becomes due after `claimMs`;
 * that process may be this one, or one that has just died. For twice that time the looks are therefore no
 * further apart.
 */
function createLookTimes(settings: OutboxSettings) {
  const leftMs = claimMs(settings);
  let at = 0;
  let recentUntil = performance.now() + 2 * leftMs;
  const next = (now: number) =>
    now + Math.min(now < recentUntil ? leftMs : Infinity, settings.OUTBOX_POLL_INTERVAL);
  return {
    untilMs: (now: number) => Math.max(0, at - now),
    /** Has the next look come at this time or before. */
    notAfter(time: number): void {
      at = Math.min(at, time);
    },
    /** Begins a round. @param hasKept whether this process has events to publish. @returns whether it looks. */
    begin(now: number, { hasKept }: { hasKept: boolean }): boolean {
      if (hasKept) {
        recentUntil = now + 2 * leftMs;
        at = Math.min(at, next(now));
      }
      if (now < at) return false;
      // This look may miss an event that is committed from here on, which brings the next look forward.
      at = next(now);
      return true;
    },
  };
}

/**
 * `more`: further events may be due immediately. `limited`: continue as soon as more may be published.
 * `failed`: the stream or the bus is down.
 */
export type RelayRoundOutcome = "more" | "limited" | "idle" | "failed";

/**
 * Creates the function of one round. It publishes the process's buffered events. When it looks in the outbox,
 * too, it claims the unpublished events and those not confirmed in time, at a limited rate. A round throws
 * while there is no stream.
 */
export function createRelayRound({
  pool,
  bus,
  source,
  settings,
  log,
  kept = createEventBuffer(),
  lookAtStreamEveryMs = 10_000,
}: RelayDeps): (options?: { look: boolean }) => Promise<RelayRoundOutcome> {
  const metrics = createOutboxMetrics(source);
  const republishRate = createRateLimit(settings.OUTBOX_REPUBLISH_RATE_MAX);
  const republishAfterMs = settings.OUTBOX_REPUBLISH_AFTER;
  let lookAtStreamAt = 0;

  const publish = async (events: ClaimedEvent[]): Promise<boolean> => {
    if (events.length === 0) return true;
    const { failed, error } = await publishEvents(bus.nats, source, events);
    countPublished(metrics, events, failed.length);
    if (failed.length === 0) return true;
    log.warn({ operation: "relay", count: failed.length, error }, "events were not published");
    lookAtStreamAt = 0;
    await unclaim(pool, failed, FAILURE_PAUSE_MS);
    return false;
  };

  return async ({ look } = { look: true }) => {
    // Events that are claimed and cannot be published would only wait longer for their next attempt.
    if (!bus.connected) return "failed";
    if (performance.now() >= lookAtStreamAt) {
      await requireEventStream(bus.nats);
      lookAtStreamAt = performance.now() + lookAtStreamEveryMs;
    }
    const own = kept.take(BATCH_MAX, performance.now());
    const isOwnPublished = await publish(own);
    if (!look) return isOwnPublished ? "idle" : "failed";

    const limit = Math.min(BATCH_MAX, republishRate.available(performance.now()));
    const due = await claimDue(pool, { fresh: BATCH_MAX, unconfirmed: limit, republishAfterMs });
    const again = due.filter(({ publish_attempts }) => publish_attempts > 1).length;
    republishRate.take(again);
    if (!((await publish(due)) && isOwnPublished)) return "failed";
    if (due.length - again === BATCH_MAX || again === BATCH_MAX) return "more";
    return again === limit ? "limited" : "idle";
  };
}

/**
 * The time for which the row of a kept event is left to its process. The dispatcher's confirmation takes less than a
 * second; a process that dies before it publishes delays its webhooks by this time and the next look.
 */
const claimMs = (settings: OutboxSettings) => Math.min(10_000, settings.OUTBOX_REPUBLISH_AFTER);

/**
 * The wait of a single event. Publishing it starts work in this process and in five others, which would take
 * CPU from its merchant's answer.
 */
const ANSWER_FIRST_MS = 25;
/** The shortest time between two rounds, and so the longest that a webhook waits for others. */
const ROUND_PAUSE_MS = 100;
/** Events published at the same time, and of each kind claimed by one statement. */
const BATCH_MAX = 200;
const FAILURE_PAUSE_MS = 250;
const LIMITED_PAUSE_MS = 250;

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
