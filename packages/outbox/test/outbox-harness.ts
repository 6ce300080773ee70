import { randomUUID } from "node:crypto";
import { EVENT_STREAM, type StatusChangedEvent } from "@holdfast/contracts";
import { createLogger, createPool, parseConfig } from "@holdfast/service-runtime";
import { startTestSystem } from "@holdfast/tests/support";
import { jetstreamManager } from "@nats-io/jetstream";
import { Client } from "pg";
import { z } from "zod";
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
    /** The messages in the stream, in order. */
    async published() {
      const manager = await jetstreamManager(bus.nats, { timeout: 5_000 });
      const { state } = await manager.streams.info(EVENT_STREAM.name);
      const messages = [];
      for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
        const message = await manager.streams.getMessage(EVENT_STREAM.name, { seq });
        if (!message) continue;
        messages.push({
          event: message.json<StatusChangedEvent>(),
          msgId: message.header.get("Nats-Msg-Id"),
          traceparent: message.header.get("traceparent"),
        });
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
