import {
  cutPage,
  idCursor,
  INVALID_CURSOR_ERRORS,
  isAboutPayment,
  isLive,
  merchantIdOf,
  operations,
  type CommandReply,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  type webhookDeliveryPageSchema,
} from "@holdfast/contracts";
import type { Kysely, Selectable } from "kysely";
import { z } from "zod";
import type { Clock } from "../clock.ts";
import type { AttemptTable, WebhooksDatabase } from "../database.ts";
import { keptUntil } from "../retention.ts";
import {
  findAttempts,
  findEvents,
  findOtherOutcomes,
  type LoggedEvent,
  type LogPosition,
  type OutcomeAtEndpoint,
} from "./delivery-log-queries.ts";
import { findShown } from "./find-shown.ts";

export type DeliveryLogDeps = {
  db: Kysely<WebhooksDatabase>;
  clock: Clock;
  /** `eventDays`: days that events are kept. */
  limits: { windowMs: number; eventDays: number };
};

/** A page of the log, newest first. */
export async function listDeliveries(
  deps: DeliveryLogDeps,
  { limit, cursor, hide, ...filter }: z.infer<typeof operations.listWebhookDeliveries.command.request>,
): Promise<CommandReply<z.infer<typeof webhookDeliveryPageSchema>>> {
  const before = cursor === undefined ? undefined : decodePosition(cursor);
  if (cursor !== undefined && before === undefined) {
    return { outcome: "problem", code: "validation_failed", extra: { errors: INVALID_CURSOR_ERRORS } };
  }
  const asked = { limit: limit + 1, before };
  const hides = hide !== undefined && filter.status === undefined;
  const { events, readTo } = hides
    ? await findShown(deps.db, filter, asked)
    : { events: await findEvents(deps.db, filter, asked), readTo: undefined };
  const { page, next } = cutPage(events, limit, ({ event_id }) => idCursor.encode(event_id));
  const nextCursor = next.nextCursor ?? (readTo && idCursor.encode(readTo.eventId));
  return {
    outcome: "done",
    result: {
      items: page.map((event) => describe(deps, event)),
      ...(nextCursor !== undefined && { nextCursor }),
    },
  };
}

/** One event with its attempts, and its outcome at each endpoint. */
export async function getDelivery(
  deps: DeliveryLogDeps,
  eventId: string,
): Promise<CommandReply<WebhookDeliveryDetail>> {
  const [event] = await findEvents(deps.db, { eventId }, { limit: 1, before: undefined });
  if (!event) return { outcome: "problem", code: "delivery_not_found" };
  const attempts = await findAttempts(deps.db, event);
  const others = await findOtherOutcomes(deps.db, event);
  const deadlineAt = deadlineOf(deps, event);
  return {
    outcome: "done",
    result: {
      ...describe(deps, event),
      endpoints: [event, ...others].map(describeAtEndpoint),
      attempts: attempts.map((attempt) => describeAttempt(attempt, event, deadlineAt)),
    },
  };
}

/** Only a UUIDv7 names a time, and so a position in the log. */
function decodePosition(cursor: string): LogPosition | undefined {
  const eventId = idCursor.decode(cursor);
  return eventId !== undefined && /^.{14}7.{4}[89ab]/.test(eventId) ? { eventId } : undefined;
}

/** A pending delivery has the deadline it was accepted with; for a past one today's window is shown. */
function deadlineOf({ limits }: DeliveryLogDeps, { deadline_at, occurred_at, is_off }: LoggedEvent): Date {
  if (is_off) return new Date(keptUntil(occurred_at.getTime(), limits.eventDays));
  return deadline_at ?? new Date(occurred_at.getTime() + limits.windowMs);
}

function describe(deps: DeliveryLogDeps, event: LoggedEvent): WebhookDelivery {
  const deadlineAt = deadlineOf(deps, event);
  return {
    eventId: event.event_id,
    eventType: event.event_type,
    merchantId: merchantIdOf(event.merchant_id),
    livemode: isLive(event.merchant_id),
    ...(isAboutPayment(event.event_type) && {
      paymentId: event.payment_id,
      paymentStatus: event.payment_status as WebhookDelivery["paymentStatus"],
    }),
    ...orderOf(event),
    endpointId: event.endpoint_id,
    status: event.outcome ?? "pending",
    occurredAt: event.occurred_at.toISOString(),
    deadlineAt: deadlineAt.toISOString(),
    remainingSeconds: secondsUntil(deadlineAt, deps.clock.databaseNow()),
    attemptCount: event.attempt_count,
    ...(event.last_error !== null && { lastError: event.last_error }),
    ...(event.last_status_code !== null && { lastStatusCode: event.last_status_code }),
    ...(event.next_attempt_at !== null && { nextAttemptAt: event.next_attempt_at.toISOString() }),
    ...(event.resolved_at !== null && { resolvedAt: event.resolved_at.toISOString() }),
  };
}

/** The order number, as the body of an event about a payment, a refund or a checkout has it. */
function orderOf({ event_type, body }: LoggedEvent): Pick<WebhookDelivery, "orderId"> {
  if (!isAboutPayment(event_type)) return {};
  try {
    return { orderId: orderSchema.safeParse(JSON.parse(body.toString())).data?.orderId };
  } catch {
    // A body that is not JSON must not fail the list of deliveries.
    return {};
  }
}

const orderSchema = z.object({ orderId: z.string() });

function describeAtEndpoint({ endpoint_id, outcome, resolved_at, next_attempt_at }: OutcomeAtEndpoint) {
  return {
    endpointId: endpoint_id,
    status: outcome ?? ("pending" as const),
    ...(next_attempt_at !== null && { nextAttemptAt: next_attempt_at.toISOString() }),
    ...(resolved_at !== null && { resolvedAt: resolved_at.toISOString() }),
  };
}

function describeAttempt(
  attempt: Selectable<AttemptTable>,
  event: LoggedEvent,
  deadlineAt: Date,
): WebhookAttempt {
  return {
    ...(attempt.number !== null && { number: attempt.number }),
    trigger: attempt.trigger,
    endpointId: attempt.endpoint_id,
    plannedAt: attempt.planned_at.toISOString(),
    sentAt: attempt.sent_at.toISOString(),
    succeeded: attempt.succeeded,
    ...(attempt.status_code !== null && { statusCode: attempt.status_code }),
    ...(attempt.error !== null && { error: attempt.error }),
    durationMs: attempt.duration_ms,
    requestTime: attempt.request_time.toString(),
    signedPrefix: `${attempt.request_time}:${event.body.toString("latin1", 0, SIGNED_PREFIX_BYTES).replace(/[^\x20-\x7E]/g, "?")}`,
    bodyHash: attempt.body_hash.toString("hex"),
    secretVersion: attempt.secret_version,
    ...(attempt.next_version !== null && { nextSecretVersion: attempt.next_version }),
    ...(attempt.remote_address !== null && { remoteAddress: attempt.remote_address }),
    ...(attempt.snippet !== null && { responseSnippet: attempt.snippet }),
    remainingSeconds: secondsUntil(deadlineAt, attempt.sent_at.getTime()),
  };
}

/** The log shows this much of the body, which is the signed string's second part. */
const SIGNED_PREFIX_BYTES = 32;

function secondsUntil(deadlineAt: Date, now: number): number {
  return Math.max(0, Math.floor((deadlineAt.getTime() - now) / 1_000));
}
