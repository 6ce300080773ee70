import type { PulledEvent } from "@holdfast/outbox";
import { failpoint, pause } from "@holdfast/service-runtime";
import { annotate, failSpan, formatTraceparent, type Span } from "@holdfast/telemetry";
import type { Kysely } from "kysely";
import { DatabaseError, type Pool } from "pg";
import type { BusinessEvents } from "../business-events.ts";
import { SKEW_STOP_MS, type Clock } from "../clock.ts";
import type { WebhooksDatabase } from "../database.ts";
import type { DeliveryWorker } from "../delivery/delivery-worker.ts";
import type { Progress } from "../progress.ts";
import { firstKeptDay } from "../retention.ts";
import { acceptEvents, keepPoison, type EventToAccept } from "./accept-events.ts";
import type { Confirmations } from "./confirmations.ts";
import {
  identifyEvent,
  messageKey,
  parseEvent,
  timeOfEvent,
  type EventIdentity,
  type IncomingEvent,
} from "./parse-event.ts";

export type AcceptDeps = {
  pool: Pool;
  db: Kysely<WebhooksDatabase>;
  confirmations: Confirmations;
  clock: Clock;
  worker: DeliveryWorker;
  events: BusinessEvents;
  progress: Progress;
  /** `eventDays` is the time that events are kept. */
  limits: { leaseMs: number; windowMs: number; eventDays: number };
};

/** True once a batch that the database does not accept is to be given up. */
type IsStopping = () => boolean;

/** A possible event, with the span in which it is accepted, if it belongs to a trace. */
export type Received = { pulled: PulledEvent; span: Span | undefined };

type Arrival = { pulled: PulledEvent; event: IncomingEvent };

/**
 * Accepts a batch: it is committed, then sending starts, then the events are acknowledged to the stream and
 * confirmed to their owners, which close their rows. If the process dies between two of these steps, nothing
 * is lost: the stream or the owner delivers the events again, and known events are recognized by their ids.
 */
export async function acceptBatch(
  deps: AcceptDeps,
  received: Received[],
  isStopping: IsStopping,
): Promise<void> {
  await failpoint("webhooks.after_pull");
  const arrivals: Arrival[] = [];
  for (const { pulled, span } of received) {
    const event = parseEvent(pulled, span ? formatTraceparent(span.spanContext()) : null);
    const identity = typeof event === "string" ? identifyEvent(pulled) : event;
    if (identity && timeOfEvent(identity) < firstKeptDay(deps.clock.databaseNow(), deps.limits.eventDays)) {
      if (span) failSpan(span, "expired");
      expire(deps, pulled, identity);
      continue;
    }
    if (typeof event === "string") {
      if (span) failSpan(span, "poison");
      await setAside(deps, pulled, event);
      continue;
    }
    describeEvent(event, span);
    arrivals.push({ pulled, event });
  }
  const accepted = arrivals.length === 0 ? [] : await acceptWhenPossible(deps, arrivals, isStopping);
  if (accepted.length === 0) return;
  deps.events.accepted({ events: accepted.length, lagMs: lagOf(deps.clock, accepted) });
  await failpoint("webhooks.before_ack");
  for (const { pulled } of accepted) pulled.ack();
  for (const { event } of accepted) deps.confirmations.add(event.source, event.eventId);
}

function describeEvent({ eventId, paymentId, merchantId, status }: IncomingEvent, span: Span | undefined) {
  if (!span) return;
  annotate(
    {
      "messaging.message.id": eventId,
      "holdfast.event.id": eventId,
      "holdfast.payment.id": paymentId,
      "holdfast.merchant.id": merchantId,
      "holdfast.status": status,
    },
    span,
  );
}

/**
 * Waits for the database for as long as the process runs. Meanwhile nothing is acknowledged, so the stream
 * delivers no more than it allows to be unacknowledged (`max_ack_pending`). Copies of waiting messages are
 * skipped.
 */
async function acceptWhenPossible(
  deps: AcceptDeps,
  arrivals: Arrival[],
  isStopping: IsStopping,
): Promise<Arrival[]> {
  for (;;) {
    try {
      await accept(deps, arrivals);
      return arrivals;
    } catch (error) {
      deps.progress.mark("accept");
      if (isStopping()) throw error;
      if (isFaultOfData(error)) return await acceptOneByOne(deps, arrivals, { error, isStopping });
      deps.events.acceptFailed(error);
      await pause(RETRY_PAUSE_MS);
    }
  }
}

const RETRY_PAUSE_MS = 250;

/** Accepts events one by one if one of the batch cannot be stored, so that the others are accepted. */
async function acceptOneByOne(
  deps: AcceptDeps,
  arrivals: Arrival[],
  { error, isStopping }: { error: unknown; isStopping: IsStopping },
): Promise<Arrival[]> {
  const [only, ...others] = arrivals;
  if (!only) return [];
  if (others.length === 0) {
    await setAside(deps, only.pulled, `the database refuses it: ${(error as DatabaseError).code}`);
    return [];
  }
  const accepted: Arrival[] = [];
  for (const arrival of arrivals) accepted.push(...(await acceptWhenPossible(deps, [arrival], isStopping)));
  return accepted;
}

/** SQLSTATE classes 22 (data) and 23 (integrity). */
function isFaultOfData(error: unknown): boolean {
  return error instanceof DatabaseError && /^2[23]/.test(error.code ?? "");
}

async function accept(
  { pool, worker, clock, limits: { leaseMs, windowMs } }: AcceptDeps,
  arrivals: Arrival[],
): Promise<void> {
  const { queue } = worker;
  const maySend = Math.abs(clock.skewMs) <= SKEW_STOP_MS;
  const batch: EventToAccept[] = arrivals.map(({ event }) => ({
    event,
    lease: maySend && queue.reserve(defaultEndpointOf(event)),
  }));
  const reserved = batch.filter(({ lease }) => lease).map(({ event }) => defaultEndpointOf(event));
  let pushed: string[] = [];
  try {
    const { leased, left } = await acceptEvents(pool, batch, { leaseMs, windowMs, shiftMs: clock.shiftMs });
    await failpoint("webhooks.after_accept");
    pushed = leased.map(({ endpointId }) => endpointId);
    for (const delivery of leased) queue.push(delivery, { reserved: true });
    if (left > 0) worker.nudge();
  } finally {
    for (const endpointId of without(reserved, pushed)) queue.giveUp(endpointId);
  }
}

/** The default endpoint's id is the merchant's. */
const defaultEndpointOf = ({ merchantId }: IncomingEvent): string => merchantId;

/** `all` less each of `some` once. */
function without(all: string[], some: string[]): string[] {
  const left = [...all];
  for (const each of some) {
    const index = left.indexOf(each);
    if (index !== -1) left.splice(index, 1);
  }
  return left;
}

/**
 * Ends an event that is older than the days for which events are kept. It may have been delivered long ago,
 * and a merchant may act on a webhook of months ago. It is confirmed, or its owner would publish it forever.
 */
function expire(
  { events, confirmations }: AcceptDeps,
  pulled: PulledEvent,
  { eventId, source }: EventIdentity,
) {
  events.expired(eventId, source);
  pulled.term("older than the events that are kept");
  confirmations.add(source, eventId);
}

/**
 * Stores a message that cannot be accepted. It is not confirmed: its owner keeps it open, which pages
 * somebody, and publishes it again. A repaired dispatcher can therefore accept it, until it is older than the
 * events that are kept.
 */
async function setAside({ db, events }: AcceptDeps, pulled: PulledEvent, reason: string): Promise<void> {
  const { subject, sequence } = pulled;
  try {
    await keepPoison(db, { subject, sequence, reason, data: pulled.bytes(), key: messageKey(pulled) });
  } catch (error) {
    // The stream delivers the message again after the acknowledgement's time.
    return events.acceptFailed(error);
  }
  events.poisoned(reason);
  pulled.term(reason.slice(0, TERM_REASON_MAX).replace(/[^\x20-\x7E]/g, "?"));
}

const TERM_REASON_MAX = 100;

function lagOf(clock: Clock, arrivals: Arrival[]): number {
  return Math.max(0, clock.databaseNow() - Math.min(...arrivals.map(({ event }) => timeOfEvent(event))));
}
