import { randomUUID } from "node:crypto";
import { EVENT_STREAM, type StatusChangedEvent } from "@holdfast/contracts";
import { connectBus, type Bus } from "@holdfast/messaging";
import { createLogger, createPool, parseConfig, type Logger } from "@holdfast/service-runtime";
import { createTestDatabase, startTestNats, type TestNats } from "@holdfast/tests/support";
import { jetstreamManager } from "@nats-io/jetstream";
import { Client, type Pool } from "pg";
import { z } from "zod";
import { outboxSettings, type OutboxSettings } from "../src/outbox-settings.ts";

/** The outbox of payments with rows that the test inserts, and a bus; the pool uses the service's role. */
export type OutboxHarness = {
  pool: Pool;
  superuser: Client;
  bus: Bus;
  nats: TestNats;
  log: Logger;
  settings(change?: Partial<OutboxSettings>): OutboxSettings;
  /** Commits an event. @returns its id. */
  record(change?: { body?: Buffer; traceparent?: string; eventId?: string }): Promise<string>;
  rows(): Promise<
    { event_id: string; publish_attempts: number; confirmed: boolean; due_in_ms: number | null }[]
  >;
  /** The messages in the stream, in order. */
  published(): Promise<{ event: StatusChangedEvent; msgId: string; traceparent: string }[]>;
  close(): Promise<void>;
};

export async function startOutboxHarness(): Promise<OutboxHarness> {
  const [database, nats] = await Promise.all([createTestDatabase(), startTestNats()]);
  const log = createLogger("payments", "silent");
  const superuser = new Client({ connectionString: database.superuserUrl });
  await superuser.connect();
  // The events of these tests belong to no payment.
  await superuser.query("alter table payments.outbox drop constraint outbox_payment_id_fkey");
  const pool = createPool({
    url: database.urls.payments.app,
    connectionsMax: 8,
    applicationName: "test",
    log,
    connectionTimeoutMs: 60_000,
  });
  const bus = await connectBus({ url: nats.url, name: "test" });
  return {
    pool,
    superuser,
    bus,
    nats,
    log,
    settings: (change = {}) => ({ ...parseConfig(z.object(outboxSettings), {}), ...change }),
    async record({ body = Buffer.from("{}"), traceparent, eventId } = {}) {
      const { rows } = await pool.query<{ event_id: string }>(
        `insert into outbox (event_id, event_type, payment_id, merchant_id, status, body, traceparent)
         values (coalesce($5::uuid, uuidv7()), 'payment.status_changed', $1, $2, 'SUCCESS', $3, $4) returning event_id`,
        [randomUUID(), randomUUID(), body, traceparent, eventId],
      );
      return rows[0]!.event_id;
    },
    async rows() {
      const { rows } = await pool.query(
        `select event_id, publish_attempts, confirmed_at is not null as confirmed,
           (extract(epoch from publish_at - now()) * 1000)::float8 as due_in_ms
         from outbox order by event_id`,
      );
      return rows;
    },
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
      await bus.close(1_000);
      await Promise.all([nats.stop(), database.drop()]);
    },
  };
}
