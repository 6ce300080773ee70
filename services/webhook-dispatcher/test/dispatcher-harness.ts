import { randomBytes, randomUUID, randomUUIDv7 } from "node:crypto";
import {
  confirmEvents,
  deleteWebhook,
  eventSubject,
  getWebhookDelivery,
  putWebhook,
  type Command,
  type CommandReply,
  type OperatorContext,
  type WebhookDeliveryDetail,
} from "@holdfast/contracts";
import { connectBus, handler, request, serve, type Bus } from "@holdfast/messaging";
import { assertEventStream } from "@holdfast/outbox";
import { createReplyRecipient } from "@holdfast/sealing";
import { createLogger, parseConfig } from "@holdfast/service-runtime";
import {
  createTestDatabase,
  type LedgerReceiver,
  startLedgerReceiver,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from "@holdfast/tests/support";
import { jetstream } from "@nats-io/jetstream";
import { Pool } from "pg";
import type { z } from "zod";
import { configSchema } from "../src/config.ts";
import { startWebhookDispatcher, type Overrides } from "../src/service.ts";
import type { TestEvent } from "./events.ts";
import { makeTestCertificates, type TestCertificates } from "./test-certificates.ts";

/** A dispatcher with its own database, bus and merchant's server; the test plays owner and gateway. */
export type DispatcherHarness = {
  bus: Bus;
  nats: TestNats;
  database: TestDatabase;
  certificates: TestCertificates;
  receiver: LedgerReceiver;
  /** Ids that were confirmed to the owner, in order, with repetitions. */
  confirmed: string[];
  /** The log lines of the dispatchers. */
  lines: Record<string, unknown>[];
  env: Record<string, string>;
  start(
    env?: Record<string, string>,
    overrides?: Overrides,
  ): Promise<{ stop(): Promise<void>; healthPort: number }>;
  startReceiver(certificates?: Pick<TestCertificates, "cert" | "key">): Promise<LedgerReceiver>;
  publish(...events: TestEvent[]): Promise<void>;
  publishRaw(data: string | Uint8Array): Promise<void>;
  operate<Request extends z.ZodType, Result extends z.ZodType>(
    command: Command<Request, Result, OperatorContext>,
    payload: z.input<Request>,
    requestId?: string,
  ): Promise<CommandReply<z.infer<Result>>>;
  /** Turns webhooks on. @returns merchant and secret. */
  enable(url?: string, merchantId?: string): Promise<{ merchantId: string; secret: string }>;
  disable(merchantId: string): Promise<void>;
  delivery(eventId: string): Promise<WebhookDeliveryDetail>;
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
};

export type HarnessOptions = {
  /** With `false` no dispatcher is started yet. */
  start?: boolean;
  overrides?: Overrides;
  /** The merchant's clock. */
  now?: () => number;
  /** Replaces a database of the test run's server. */
  database?: TestDatabase;
};

/** @param env settings of the dispatchers. */
export async function startDispatcherHarness(
  env: Record<string, string> = {},
  { start = true, overrides = {}, now = Date.now, ...given }: HarnessOptions = {},
): Promise<DispatcherHarness> {
  const [database, nats, certificates] = await Promise.all([
    given.database ?? createTestDatabase(),
    startTestNats(),
    makeTestCertificates(),
  ]);
  const receiver = await startLedgerReceiver({ ...certificates, now });
  const settings = {
    HEALTH_PORT: "0",
    LISTEN_HOST: "127.0.0.1",
    DATABASE_URL: database.urls.webhooks.app,
    NATS_URL: nats.url,
    WEBHOOK_SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8,::1/128",
    WEBHOOK_ALLOWED_PORTS: "any",
    WEBHOOK_CA_FILE: certificates.caFile,
    // A busy machine is not what a test is about.
    DATABASE_CONNECTION_TIMEOUT: "60s",
    // On a busy machine an attempt may fail; the next one has to follow soon.
    WEBHOOK_RETRY_SCHEDULE: "300ms",
    WEBHOOK_CLAIM_INTERVAL: "20ms",
    WEBHOOK_REAP_INTERVAL: "100ms",
    DRAIN_TIMEOUT: "1s",
    ...env,
  };
  const lines: Record<string, unknown>[] = [];
  const log = createLogger("webhook-dispatcher", "debug", {
    write: (line) => void lines.push(JSON.parse(line)),
  });
  const running: { stop(): Promise<void> }[] = [];
  const receivers = [receiver];
  const bus = await connectBus({ url: nats.url, name: "test" });
  const superuser = new Pool({ connectionString: database.superuserUrl, max: 3 });
  superuser.on("error", () => {});
  superuser.on("connect", (connection) => void connection.on("error", () => {}));
  const confirmed: string[] = [];
  const owner = await serve(bus, {
    service: "payments",
    version: "0.0.0",
    inFlightMax: 1_000,
    onHandled: () => {},
    handlers: [
      handler(confirmEvents.payments, async ({ payload }) => {
        confirmed.push(...payload.eventIds);
        return { outcome: "done", result: {} };
      }),
    ],
  });
  const publishRaw = async (data: string | Uint8Array) => {
    await assertEventStream(bus.nats, { replicas: 1, bytesMax: 268_435_456 });
    await jetstream(bus.nats).publish(eventSubject("payments"), data);
  };
  const operate: DispatcherHarness["operate"] = (command, payload, requestId = randomUUID()) => {
    const context = { requestId, deadlineAt: Date.now() + 100_000, operator: { name: "olga" } };
    return request(bus, command, context, payload, { waitUntil: Date.now() + 110_000, traceparent: "" });
  };
  const startOne: DispatcherHarness["start"] = async (more = {}, given = overrides) => {
    const dispatcher = await startWebhookDispatcher(
      parseConfig(configSchema, { ...settings, ...more }),
      log,
      given,
    );
    let stopping: Promise<void> | undefined;
    const once = { ...dispatcher, stop: () => (stopping ??= dispatcher.stop()) };
    running.push(once);
    return once;
  };
  if (start) await startOne();

  return {
    bus,
    nats,
    database,
    certificates,
    receiver,
    confirmed,
    lines,
    env: settings,
    start: startOne,
    async startReceiver(given = certificates) {
      const another = await startLedgerReceiver({ ...given, now });
      receivers.push(another);
      return another;
    },
    async publish(...events) {
      await assertEventStream(bus.nats, { replicas: 1, bytesMax: 268_435_456 });
      const client = jetstream(bus.nats);
      const encode = (event: TestEvent) => JSON.stringify({ ...event, body: event.body.toString("base64") });
      await Promise.all(events.map((event) => client.publish(eventSubject(event.source), encode(event))));
    },
    publishRaw,
    operate,
    async enable(url = receiver.url, merchantId = randomUUIDv7()) {
      const recipient = createReplyRecipient();
      const reply = await operate(putWebhook, { merchantId, url, recipientKey: recipient.publicKey });
      if (reply.outcome !== "done" || !reply.result.secret)
        throw new Error(`not turned on: ${JSON.stringify(reply)}`);
      return { merchantId, secret: recipient.open(reply.result.secret) };
    },
    async disable(merchantId) {
      await operate(deleteWebhook, { merchantId });
    },
    async delivery(eventId) {
      const reply = await operate(getWebhookDelivery, { eventId });
      if (reply.outcome !== "done") throw new Error(`no delivery: ${JSON.stringify(reply)}`);
      return reply.result;
    },
    query: async <Row>(text: string, values: unknown[] = []) =>
      (await superuser.query(text, values)).rows as Row[],
    async close() {
      await Promise.all(running.map((each) => each.stop()));
      await owner.stop(0);
      await superuser.end();
      await bus.close(1_000);
      await Promise.all(receivers.map((each) => each.close()));
      await Promise.all([nats.stop(), database.drop()]);
    },
  };
}
