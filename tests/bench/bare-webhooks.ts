import { randomUUIDv7 } from "node:crypto";
import { createNaturalBatcher } from "@holdfast/service-runtime";
import type { Pool } from "pg";
import { createSignAndPost } from "./sign-and-post.ts";

type Sent = { eventId: string; paymentId: string; statusCode: number };

/** Webhooks of the bare handler: signed, posted and recorded, those that end together in one insert. Never repeated. */
export async function createBareWebhooks({
  pool,
  url,
}: {
  pool: Pool;
  url: string;
}): Promise<{ send(payment: { paymentId: string }): void }> {
  const { WEBHOOK_CA_FILE = "", WEBHOOK_SECRET = "" } = process.env;
  await pool.query(
    "create table if not exists bare_webhook (event_id uuid primary key, payment_id uuid not null, status_code int not null)",
  );
  const signAndPost = createSignAndPost({ caFile: WEBHOOK_CA_FILE, connectionsMax: CONNECTIONS_MAX });
  const records = createNaturalBatcher<Sent, void>({
    name: "records",
    sizeMax: 100,
    flushesMax: 2,
    isolates: () => false,
    async flush(batch) {
      await pool.query({
        name: "record-webhooks",
        text: "insert into bare_webhook select * from unnest($1::uuid[], $2::uuid[], $3::int[])",
        values: [
          batch.map(({ eventId }) => eventId),
          batch.map(({ paymentId }) => paymentId),
          batch.map(({ statusCode }) => statusCode),
        ],
      });
      return batch.map(() => undefined);
    },
  });
  const deliver = async (payment: { paymentId: string }) => {
    const eventId = randomUUIDv7();
    const statusCode = await signAndPost({
      url,
      secret: WEBHOOK_SECRET,
      eventId,
      eventType: "payment.status_changed",
      body: Buffer.from(JSON.stringify(payment)),
    });
    await records.add({ eventId, paymentId: payment.paymentId, statusCode });
  };
  return {
    send: (payment) =>
      void deliver(payment).catch((error: unknown) => process.stderr.write(`webhook: ${String(error)}\n`)),
  };
}

/** The number of requests that the dispatcher has under way to one endpoint. */
const CONNECTIONS_MAX = 8;
