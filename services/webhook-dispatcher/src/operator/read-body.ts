import { WEBHOOK_BODY_SHOWN_BYTES, type CommandReply, type WebhookBody } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { WebhooksDatabase } from "../database.ts";
import { audit, type AuditedContext } from "./audit-endpoint.ts";

/**
 * The body that is sent for an event, and nothing of the requests around it: headers of the owner's own stay secret. It
 * has the buyer's name and the card's masked number, so that each reading is a line of the audit log.
 */
export async function readBody(
  { db }: { db: Kysely<WebhooksDatabase> },
  context: AuditedContext,
  {
    eventId,
    merchantId: asker,
  }: { eventId: string; /** The merchant that the event has to be of. */ merchantId?: string },
): Promise<CommandReply<WebhookBody>> {
  return await db.transaction().execute(async (trx): Promise<CommandReply<WebhookBody>> => {
    const event = await trx
      .selectFrom("event")
      .select([
        "merchant_id",
        sql<Buffer>`substring(body for ${WEBHOOK_BODY_SHOWN_BYTES}::int)`.as("shown"),
        sql<number>`octet_length(body)`.as("bytes"),
      ])
      .where("event_id", "=", eventId)
      .where("occurred_at", "=", sql<Date>`uuid_extract_timestamp(${eventId}::uuid)`)
      .executeTakeFirst();
    if (!event || (asker !== undefined && event.merchant_id !== asker))
      return { outcome: "problem", code: "delivery_not_found" };
    const { merchant_id: merchantId, shown, bytes } = event;
    await audit(trx, context, "webhook.body_read", eventId, { merchantId });
    return { outcome: "done", result: { eventId, body: shown.toString(), bytes } };
  });
}
