import type { CommandReply, OperatorContext } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import type { Clock } from "../clock.ts";
import type { WebhooksDatabase } from "../database.ts";
import { findEndpoint, findEndpointsOf, type EndpointRow } from "../endpoint/endpoint-queries.ts";
import { queueBeside, queueWaiting } from "../delivery/queue-waiting.ts";
import { audit } from "./audit-endpoint.ts";
import { NOT_FOUND } from "./manage-endpoint.ts";

export type RedeliverDeps = {
  db: Kysely<WebhooksDatabase>;
  clock: Pick<Clock, "shiftMs">;
  /** `windowMs` is how long after the request an event may be sent again by hand. */
  limits: { windowMs: number };
  /** Called when a delivery is due now. */
  nudge: () => void;
};

type Reply = CommandReply<{ queued: number }>;
type Trx = Transaction<WebhooksDatabase>;
type StoredEvent = { event_id: string; occurred_at: Date; event_type: string; merchant_id: string };

/**
 * Sends an event again by hand, whatever its outcome, to the named endpoint or to all that it was for. Each
 * is a delivery of its own beside the scheduled one, which keeps its time. It goes before all other
 * deliveries that wait for the endpoint.
 */
export async function redeliver(
  { db, nudge, ...terms }: RedeliverDeps,
  context: OperatorContext,
  {
    eventId,
    endpointId,
    merchantId: asker,
  }: { eventId: string; endpointId?: string | undefined; /** The event's owner. */ merchantId?: string },
): Promise<Reply> {
  const reply = await db.transaction().execute(async (trx): Promise<Reply> => {
    const event = await findEvent(trx, eventId);
    if (!event || (asker !== undefined && event.merchant_id !== asker))
      return { outcome: "problem", code: "delivery_not_found" };
    const merchantId = event.merchant_id;
    const endpoints =
      endpointId === undefined ? await receiversOf(trx, event) : await named(trx, { merchantId, endpointId });
    const ids = endpoints.filter(isOn).map(({ endpoint_id }) => endpoint_id);
    if (ids.length === 0) return endpoints.length === 0 ? NOT_FOUND : SWITCHED_OFF;
    for (const each of ids) await insertDelivery(trx, event, each, deadlineOf(terms));
    await audit(trx, context, "webhook.redelivered", eventId, { merchantId, endpoints: ids });
    return { outcome: "done", result: { queued: ids.length } };
  });
  if (reply.outcome === "done") nudge();
  return reply;
}

async function findEvent(trx: Trx, eventId: string): Promise<StoredEvent | undefined> {
  return await trx
    .selectFrom("event")
    .select(["event_id", "occurred_at", "event_type", "merchant_id"])
    .where("event_id", "=", eventId)
    .where("occurred_at", "=", sql<Date>`uuid_extract_timestamp(${eventId}::uuid)`)
    .executeTakeFirst();
}

/** Nothing is sent to an endpoint that is off, also not by hand. */
const SWITCHED_OFF = { outcome: "problem", code: "webhook_switched_off" } as const;

type Receiver = Pick<EndpointRow, "endpoint_id" | "state">;

const isOn = ({ state }: Receiver): boolean => state === "on";

async function named(trx: Trx, name: { merchantId: string; endpointId: string }): Promise<Receiver[]> {
  const endpoint = await findEndpoint(trx, name);
  return endpoint ? [endpoint] : [];
}

/** The endpoints that subscribed to the event when it came; the default one counts by its present events. */
async function receiversOf(
  trx: Trx,
  { event_id, occurred_at, event_type, merchant_id }: StoredEvent,
): Promise<Receiver[]> {
  const { rows } = await sql<Receiver>`
    select endpoint_id, state from endpoint
    where merchant_id = ${merchant_id} and state <> 'removed'
      and case when endpoint_id = merchant_id then ${event_type} = any(events)
        else exists (
          select from outcome
          where outcome.endpoint_id = endpoint.endpoint_id and occurred_at = ${occurred_at} and event_id = ${event_id}
        ) or ${isPending({ event_id, endpoint_id: sql.ref("endpoint.endpoint_id") })} end
    order by endpoint_id <> merchant_id, created_at, endpoint_id`.execute(trx);
  return rows;
}

/** True while the event waits for its delivery by the schedule to the endpoint. */
function isPending({ event_id, endpoint_id }: { event_id: string; endpoint_id: RawBuilder<unknown> }) {
  return sql<boolean>`exists (
    select from delivery
    where delivery.endpoint_id = ${endpoint_id} and delivery.event_id = ${event_id}::uuid and trigger = 'schedule')`;
}

async function insertDelivery(
  trx: Trx,
  { event_id, occurred_at }: StoredEvent,
  endpoint_id: string,
  deadline_at: RawBuilder<Date>,
): Promise<void> {
  // The endpoint may not have subscribed to the event when it came; the log shows its new outcome.
  await sql`
    insert into outcome (endpoint_id, occurred_at, event_id, outcome)
    select ${endpoint_id}::uuid, ${occurred_at}::timestamptz, ${event_id}::uuid, 'skipped'
    where not ${isPending({ event_id, endpoint_id: sql`${endpoint_id}::uuid` })}
    on conflict do nothing`.execute(trx);
  await trx
    .insertInto("delivery")
    .values({
      event_id,
      occurred_at,
      endpoint_id,
      trigger: "manual",
      due_at: BEFORE_ALL_OTHERS,
      deadline_at,
    })
    .execute();
}

/** A request of a person begins a window of its own. */
function deadlineOf({ clock, limits }: Pick<RedeliverDeps, "clock" | "limits">): RawBuilder<Date> {
  return fromNow(clock.shiftMs + limits.windowMs);
}

/** Deliveries are claimed in the order of this column; the time of the operator's request is in the delivery's id. */
const BEFORE_ALL_OTHERS = new Date(0);

/** Sends a merchant's events again that failed since a time, each to the endpoints at which it failed, or that wait. */
export async function redeliverFailed(
  { db, nudge, ...terms }: RedeliverDeps,
  context: OperatorContext,
  {
    merchantId,
    since,
    endpointId,
  }: { merchantId: string; since?: string | undefined; endpointId?: string | undefined },
): Promise<Reply> {
  const reply = await db.transaction().execute(async (trx): Promise<Reply> => {
    const all = await findEndpointsOf(trx, merchantId);
    const endpoints = all.filter(({ endpoint_id }) => endpointId === undefined || endpoint_id === endpointId);
    const ids = endpoints.filter(isOn).map(({ endpoint_id }) => endpoint_id);
    if (ids.length === 0) return endpoints.length === 0 ? NOT_FOUND : SWITCHED_OFF;
    const queued =
      since === undefined
        ? await queueWaiting(trx, ids, terms.clock.shiftMs)
        : await queueFailed(trx, { since, ids, deadlineAt: deadlineOf(terms) });
    const action = since === undefined ? "webhook.waiting_sent" : "webhook.failed_redelivered";
    const of = endpointId !== undefined && { endpointId };
    await audit(trx, context, action, merchantId, { ...(since !== undefined && { since }), ...of, queued });
    return { outcome: "done", result: { queued } };
  });
  if (reply.outcome === "done") nudge();
  return reply;
}

/** @returns how many deliveries were queued. */
async function queueFailed(
  trx: Trx,
  { since, ids, deadlineAt }: { since: string; ids: string[]; deadlineAt: RawBuilder<Date> },
): Promise<number> {
  const failed = sql`
    select event_id, occurred_at, endpoint_id, ${deadlineAt} as deadline_at from outcome
    where endpoint_id = any(${ids}::uuid[]) and occurred_at >= ${since}::timestamptz and outcome = 'failed'`;
  return await queueBeside(trx, failed, sql`occurred_at`);
}
