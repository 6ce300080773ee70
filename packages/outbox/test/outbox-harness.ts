import { randomUUID } from "node:crypto";
import { EVENT_STREAM, type ListedEvent, type StatusChangedEvent } from "@holdfast/contracts";
import { createPool } from "@holdfast/postgres";
import { createLogger, parseConfig } from "@holdfast/service-runtime";
import { startTestSystem } from "@holdfast/tests/support";
import { jetstreamManager } from "@nats-io/jetstream";
import { Client } from "pg";
import { z } from "zod";
import type { ClaimedEvent } from "../src/outbox-statements.ts";
import type { OutboxRelay } from "../src/relay.ts";
import { outboxSettings, type OutboxSettings } from "../src/outbox-settings.ts";

export type OutboxHarness = Awaited<ReturnType<typeof startOutboxHarness>>;

/** The outbox of payments with rows that the test inserts, and a bus; the pool uses the service's role. */
export async function startOutboxHarness() {
  const { database, nats, bus, ...system } = await startTestSystem({ services: [] });
  const log = createLogger("payments", "silent");
  const superuser = new Client({ connectionString: database.superuserUrl });
  await superuser.connect();
  const pool = createPool({
    url: database.urls.payments.app,
    connectionsMax: 8,
    connectionTimeoutMs: 60_000,
    applicationName: "test",
    log,
  });
  return {
    pool,
    superuser,
    bus,
    nats,
    log,
    databaseUrl: database.urls.payments.app,
    natsUrl: nats.url,
    settings: (change: Partial<OutboxSettings> = {}): OutboxSettings => ({
      ...parseConfig(z.object(outboxSettings), { OUTBOX_POLL_INTERVAL: "100ms" }),
      ...change,
    }),
    /** Commits an event. @returns its id. */
    async record({
      body = Buffer.from("{}"),
      traceparent,
      eventId,
    }: { body?: Buffer; traceparent?: string; eventId?: string } = {}): Promise<string> {
      const { rows } = await pool.query<{ event_id: string }>(
        `insert into outbox (event_id, event_type, payment_id, merchant_id, status, body, traceparent)
         values (coalesce($5::uuid, uuidv7()), 'payment.status_changed', $1, $2, 'SUCCESS', $3, $4) returning event_id`,
        [randomUUID(), randomUUID(), body, traceparent, eventId],
      );
      return rows[0]!.event_id;
    },
    /**
     * Writes events as a service does that publishes them from memory. @returns their ids, and the function to call
     * after the commit.
     */
    async write(relay: Pick<OutboxRelay, "beginWriting">, count = 1) {
      const writing = relay.beginWriting();
      const { rows: events } = await pool.query<ClaimedEvent>(
        `insert into outbox (event_type, payment_id, merchant_id, status, body, publish_attempts, publish_at)
         select 'payment.status_changed', gen_random_uuid(), gen_random_uuid(), 'SUCCESS', '{}',
           ($1::float8 is not null)::integer, now() + $1 * interval '1 millisecond' from generate_series(1, $2)
         returning event_id, event_type, payment_id, merchant_id, status, body, null as traceparent,
           1 as publish_attempts`,
        [writing.claimMs, count],
      );
      return {
        ids: events.map(({ event_id }) => event_id),
        isClaimed: writing.claimMs !== null,
        committed: () => writing.committed(events),
      };
    },
    async rows() {
      const { rows } = await pool.query<{
        event_id: string;
        publish_attempts: number;
        confirmed: boolean;
        due_in_ms: number | null;
      }>(
        `select event_id, publish_attempts, confirmed_at is not null as confirmed,
           (extract(epoch from publish_at - now()) * 1000)::float8 as due_in_ms
         from outbox order by event_id`,
      );
      return rows;
    },
    /**
     * The events in the stream, in order. A list's events are first copies, with the ids that they would have alone.
     */
    async published() {
      const manager = await jetstreamManager(bus.nats, { timeout: 5_000 });
      const { state } = await manager.streams.info(EVENT_STREAM.name);
      const messages = [];
      // An empty stream's first sequence is 0, which no message has.
      for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
        const message = await manager.streams.getMessage(EVENT_STREAM.name, { seq });
        if (!message) continue;
        const content = message.json<StatusChangedEvent | { events: ListedEvent[] }>();
        if ("events" in content) {
          for (const { traceparent = "", ...event } of content.events)
            messages.push({ seq, event, msgId: `${event.eventId}:1`, traceparent });
        } else {
          const msgId = message.header.get("Nats-Msg-Id");
          messages.push({ seq, event: content, msgId, traceparent: message.header.get("traceparent") });
        }
      }
      return messages;
    },
    async close() {
      await pool.end();
      await superuser.end();
      await system.close();
    },
  };
}
