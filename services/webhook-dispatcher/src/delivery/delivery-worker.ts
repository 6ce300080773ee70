import { failpoint, pause, type NaturalBatcher } from "@holdfast/service-runtime";
import type { Pool } from "pg";
import type { BusinessEvents } from "../business-events.ts";
import { SKEW_STOP_MS, type Clock } from "../clock.ts";
import { claimDeliveries, releaseLeases } from "./claim-deliveries.ts";
import type { AttemptRecord } from "./record-statements.ts";
import type { Progress } from "../progress.ts";
import { createClaimSignal, type ClaimSignal } from "./claim-signal.ts";
import type { Delivered } from "./deliver.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import type { SendResult } from "./endpoint-health.ts";
import { reportOf, type HealthReports } from "./health-reports.ts";
import type { LeasedDelivery } from "./leased-delivery.ts";
import { releaseUntilDone, type GiveBack } from "./release-until-done.ts";
import { createWakeWhenDue, type WakeWhenDue } from "./wake-when-due.ts";
import { annotate, failSpan, inSpan, linksTo, remoteContext, SpanKind } from "@holdfast/telemetry";

type DeliveryWorkerDeps = {
  deliver: (delivery: LeasedDelivery) => Promise<Delivered>;
  pool: Pool;
  results: NaturalBatcher<AttemptRecord, void>;
  clock: Clock;
  events: BusinessEvents;
  progress: Progress;
  reports: HealthReports;
  limits: { leaseMs: number; leaseMarginMs: number; inFlightMax: number; claimIntervalMs: number };
};

export type DeliveryWorker = {
  queue: DeliveryQueue;
  /** Starts a claim now, since deliveries are due or there is room again. */
  nudge(): void;
  /** Claims nothing more, finishes the attempts under way within `timeoutMs`, and releases all leases. */
  stop(timeoutMs: number): Promise<void>;
};

/** Claims due deliveries for the endpoints that have room, sends them, and records the results. */
export function startDeliveryWorker(deps: DeliveryWorkerDeps): DeliveryWorker {
  const stopping = new AbortController();
  const signal = createClaimSignal();
  const writes = new Set<Promise<void>>();
  const track = trackIn(writes);
  const retries = createWakeWhenDue(signal.nudge);
  const giveBack = releaseUntilDone({
    release: (deliveries) => releaseLeases(deps.pool, deliveries),
    onFailed: (error) => deps.events.claimFailed(error),
  });
  const queue = new DeliveryQueue({
    inFlightMax: deps.limits.inFlightMax,
    leaseMarginMs: deps.limits.leaseMarginMs,
    send: (delivery) => send(deps, { giveBack, track, retries }, delivery),
    giveBack: (deliveries) => track(giveBack(deliveries)),
    onResult: (endpointId, result, isOpen) =>
      deps.reports.note(
        endpointId,
        reportOf(result.kind === "success", new Date(deps.clock.databaseNow()), isOpen),
      ),
    onRoom: signal.hasRoom,
  });
  const round = createClaimRound(deps, queue, signal);
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        if (await round()) signal.more();
      } catch (error) {
        signal.more();
        deps.events.claimFailed(error);
      }
      // A failed round is progress, too.
      deps.progress.mark("claim");
      if (!stopping.signal.aborted) await signal.wait(deps.limits.claimIntervalMs);
    }
  })();
  const sweep = setInterval(() => queue.sweep(), SWEEP_INTERVAL_MS);

  return {
    queue,
    nudge: signal.nudge,
    async stop(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      clearInterval(sweep);
      retries.stop();
      stopping.abort();
      signal.nudge();
      await Promise.race([running, pause(timeoutMs)]);
      await queue.drain(Math.max(0, deadline - performance.now() - WRITE_TIME_MS));
      await Promise.race([
        Promise.allSettled(writes),
        pause(Math.max(WRITE_TIME_MS, deadline - performance.now())),
      ]);
    },
  };
}

const SWEEP_INTERVAL_MS = 1_000;
/** Time that is kept for recording the last results. */
const WRITE_TIME_MS = 500;

/**
 * @param signal gets the endpoints without room when the claim begins, because the claim does not see room
 * that appears while it runs.
 * @returns true if endpoints that had room may have more due deliveries.
 */
function createClaimRound(
  { pool, clock, limits: { leaseMs } }: DeliveryWorkerDeps,
  queue: DeliveryQueue,
  signal: ClaimSignal,
): () => Promise<boolean> {
  let after: string | undefined;
  /**
   * True if a call for a claim came after the running claim had looked at the first endpoints, which may be
   * the ones that it is for.
   */
  let again = false;
  return async () => {
    const limit = Math.min(CLAIM_MAX, queue.totalRoom());
    // With a clock this wrong every signature would be refused and the schedule would be used up in vain.
    if (limit === 0 || Math.abs(clock.skewMs) > SKEW_STOP_MS) return true;
    const rooms = queue.rooms();
    const called = signal.begin(
      new Set(rooms.filter(({ room }) => room === 0).map(({ endpointId }) => endpointId)),
    );
    again = after !== undefined && (again || called);
    const claimed = await claimDeliveries(pool, {
      limit,
      rooms,
      leaseMs,
      shiftMs: clock.shiftMs,
      after,
    });
    await failpoint("webhooks.after_claim");
    after = claimed.after;
    for (const delivery of claimed.deliveries) queue.push(delivery);
    // The claim ended because it had seen enough endpoints without room, and not because it had taken enough.
    const isCut = after !== undefined && claimed.deliveries.length < limit;
    if (isCut || (after === undefined && again)) signal.goOn();
    return claimed.deliveries.length > 0;
  };
}

const CLAIM_MAX = 500;

/** Takes note of a write that a stop waits for. */
type Track = (write: Promise<void>) => void;

/** @param writes the writes that have not ended. */
function trackIn(writes: Set<Promise<void>>): Track {
  return (write) => {
    writes.add(write);
    void write.finally(() => writes.delete(write));
  };
}

/** One attempt and its record. The place in the queue is free as soon as the answer arrives; the record follows. */
async function send(
  deps: Pick<DeliveryWorkerDeps, "deliver" | "results" | "clock" | "events">,
  { giveBack, track, retries }: { giveBack: GiveBack; track: Track; retries: WakeWhenDue },
  delivery: LeasedDelivery,
): Promise<SendResult | undefined> {
  try {
    // The record begins within the span and outlives it; it belongs to the span's trace.
    const delivered = await inAttemptSpan(delivery, async () => {
      const attempt = await deps.deliver(delivery);
      track(attempt ? recordUntilDone({ ...deps, retries }, attempt.record) : giveBack([delivery]));
      return attempt;
    });
    if (!delivered) return undefined;
    const { error, durationMs } = delivered.result;
    return {
      kind: error === undefined ? "success" : error === "timeout" ? "timeout" : "failure",
      durationMs,
    };
  } catch (error) {
    // The lease is kept, so that the attempt is not repeated before it ends.
    deps.events.sendFailed(delivery, error);
    return undefined;
  }
}

/** While the database is down, results wait here; if the process dies meanwhile, their webhooks are sent once more. */
async function recordUntilDone(
  {
    results,
    events,
    clock,
    retries,
  }: Pick<DeliveryWorkerDeps, "results" | "clock" | "events"> & { retries: WakeWhenDue },
  record: AttemptRecord,
): Promise<void> {
  const giveUpAt = performance.now() + RECORD_FOR_MS;
  for (;;) {
    try {
      await results.add(record);
      if (record.retry_at) retries.note(record.retry_at.getTime() - clock.databaseNow());
      return;
    } catch (error) {
      events.recordFailed(error);
      if (performance.now() > giveUpAt) return;
      await pause(RECORD_PAUSE_MS);
    }
  }
}

const RECORD_PAUSE_MS = 500;
const RECORD_FOR_MS = 600_000;

/**
 * Makes an attempt in a span. The first attempt continues the trace of the request that caused the event; a
 * later one, minutes or days after, has a trace of its own, linked to the first. The span names the
 * receiver's host and not its path, in which a merchant may have put a token.
 */
async function inAttemptSpan(
  delivery: LeasedDelivery,
  attempt: () => Promise<Delivered>,
): Promise<Delivered> {
  const { traceparent, attempt: number, trigger } = delivery;
  const isFirst = trigger === "schedule" && number === 1;
  const options = {
    kind: SpanKind.CLIENT,
    parent: remoteContext(isFirst ? traceparent : null),
    links: isFirst ? [] : linksTo(traceparent),
  };
  return await inSpan("POST webhook", options, async (span) => {
    // The attributes are not read without a collector.
    if (span.isRecording()) annotate(describeDelivery(delivery), span);
    const delivered = await attempt();
    if (!delivered) {
      annotate({ "holdfast.outcome": "given_back" }, span);
      return delivered;
    }
    const { statusCode, error } = delivered.result;
    annotate({ "http.response.status_code": statusCode, "holdfast.outcome": error ?? "delivered" }, span);
    if (error !== undefined) failSpan(span, error);
    return delivered;
  });
}

function describeDelivery(delivery: LeasedDelivery) {
  const { hostname, port } = URL.parse(delivery.endpoint.url) ?? {};
  return {
    "http.request.method": "POST",
    "server.address": hostname,
    "server.port": Number(port || HTTPS_PORT),
    "holdfast.event.id": delivery.eventId,
    "holdfast.payment.id": delivery.paymentId,
    "holdfast.merchant.id": delivery.merchantId,
    "holdfast.status": delivery.paymentStatus,
    "holdfast.trigger": delivery.trigger,
    "holdfast.attempt": delivery.attempt,
  };
}

const HTTPS_PORT = 443;
