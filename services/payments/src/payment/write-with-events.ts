import type { ClaimedEvent, OutboxRelay } from "@holdfast/outbox";
import { failpoint } from "@holdfast/service-runtime";
import type { RecordRow, RejectRow } from "./payment-statements.ts";

/** The row that a record or a rejection returns of each payment written, with the event's id if it has one. */
export type WrittenRow = Pick<ClaimedEvent, "event_id" | "merchant_id" | "status"> & {
  lease_token: string;
};

/**
 * Runs the statement that writes a batch with its events, and lets the relay publish the events from memory.
 * A batch that failed, or whose answer was lost, publishes nothing here; the outbox has whatever it
 * committed.
 *
 * @returns for each item whether it was written.
 */
export async function writeWithEvents(
  relay: Pick<OutboxRelay, "beginWriting">,
  items: (RecordRow | RejectRow)[],
  write: (claimMs: number | null) => Promise<WrittenRow[]>,
): Promise<boolean[]> {
  const writing = relay.beginWriting();
  const rows = await write(writing.claimMs);
  await failpoint("payments.before_publish");
  const written = new Map(rows.map((row) => [row.lease_token, row]));
  writing.committed(items.flatMap((item) => eventOf(item, written.get(item.lease_token))));
  return items.map((item) => written.has(item.lease_token));
}

function eventOf(item: RecordRow | RejectRow, row: WrittenRow | undefined): ClaimedEvent[] {
  if (!row || item.webhook_body === null) return [];
  const { event_type, payment_id, webhook_body: body, traceparent } = item;
  const { event_id, merchant_id, status } = row;
  return [
    {
      event_id,
      event_type,
      merchant_id,
      payment_id,
      status,
      body,
      traceparent,
      publish_attempts: 1,
    },
  ];
}
