import type { CommandReply, OperatorContext } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { WebhooksDatabase } from "../database.ts";
import { findEndpoint } from "../endpoint/endpoint-queries.ts";
import { audit, NOT_FOUND } from "./manage-endpoint.ts";

export type RedeliverDeps = {
  db: Kysely<WebhooksDatabase>;
  /** Called when a delivery is due now. */
  nudge: () => void;
};

type Reply = CommandReply<{ queued: number }>;

/**
 * Sends an event again by hand, whatever its outcome. This is a delivery of its own beside the scheduled one, which it
 * does not move; it goes before all others that wait for the endpoint.
 */
export async function redeliver(
  { db, nudge }: RedeliverDeps,
  context: OperatorContext,
  eventId: string,
): Promise<Reply> {
  const reply = await db.transaction().execute(async (trx): Promise<Reply> => {
    const event = await trx
      .selectFrom("event")
      .select(["occurred_at", "merchant_id"])
      .where("event_id", "=", eventId)
      .where("occurred_at", "=", sql<Date>`uuid_extract_timestamp(${eventId}::uuid)`)
      .executeTakeFirst();
    if (!event) return { outcome: "problem", code: "delivery_not_found" };
    if (!(await findEndpoint(trx, event.merchant_id))?.enabled) return NOT_FOUND;
    await trx
      .insertInto("delivery")
      .values({
        event_id: eventId,
        occurred_at: event.occurred_at,
        merchant_id: event.merchant_id,
        trigger: "manual",
        due_at: BEFORE_ALL_OTHERS,
        deadline_at: event.occurred_at,
      })
      .execute();
    await audit(trx, context, "webhook.redelivered", eventId, { merchantId: event.merchant_id });
    return { outcome: "done", result: { queued: 1 } };
  });
  if (reply.outcome === "done") nudge();
  return reply;
}

/** Deliveries are claimed in the order of this column; the time of the operator's request is in the delivery's id. */
const BEFORE_ALL_OTHERS = new Date(0);

/** Sends a merchant's events again that failed since a time. */
export async function redeliverFailed(
  { db, nudge }: RedeliverDeps,
  context: OperatorContext,
  { merchantId, since }: { merchantId: string; since: string },
): Promise<Reply> {
  const reply = await db.transaction().execute(async (trx): Promise<Reply> => {
    if (!(await findEndpoint(trx, merchantId))?.enabled) return NOT_FOUND;
    const { numAffectedRows = 0n } = await sql`
      insert into delivery (event_id, occurred_at, merchant_id, trigger, due_at, deadline_at)
      select event_id, occurred_at, merchant_id, 'manual', now(), occurred_at
      from event join outcome using (occurred_at, event_id)
      where merchant_id = ${merchantId} and occurred_at >= ${since}::timestamptz and outcome = 'failed'
        and not exists (
          select from delivery where delivery.event_id = event.event_id and delivery.trigger = 'manual')
      order by occurred_at limit ${QUEUED_MAX}`.execute(trx);
    const queued = Number(numAffectedRows);
    await audit(trx, context, "webhook.failed_redelivered", merchantId, { since, queued });
    return { outcome: "done", result: { queued } };
  });
  if (reply.outcome === "done") nudge();
  return reply;
}

const QUEUED_MAX = 10_000;
