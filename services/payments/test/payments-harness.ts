import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  startAcquirerSimulator,
  type AcquirerSimulator,
  type LedgerLine,
} from "@holdfast/acquirer-simulator";
import { createCardSealer } from "@holdfast/sealing";
import {
  Card,
  getPayment,
  preAuthorizePayment,
  type ApiPaymentResponse,
  type CardData,
  type Command,
  type CommandReply,
  type MessageContext,
  type PreAuthorizePayment,
} from "@holdfast/contracts";
import { connectBus, request, type Bus } from "@holdfast/messaging";
import { createLogger, parseConfig } from "@holdfast/service-runtime";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@holdfast/tests/support";
import { Pool } from "pg";
import type { z } from "zod";
import { configSchema } from "../src/config.ts";
import { startPayments } from "../src/service.ts";

/** One payments service with a database, a bus and an acquirer of its own; the test plays the gateway. */
export type PaymentsHarness = {
  bus: Bus;
  nats: TestNats;
  database: TestDatabase;
  acquirer: AcquirerSimulator;
  merchantId: string;
  /** What a process of the service is told. */
  environment: Record<string, string>;
  /** A further process of the service on the same database and bus. */
  startAnother(env?: Record<string, string>): Promise<{ stop(): Promise<void>; healthPort: number }>;
  /** A command as the gateway sends it, with `change` applied. */
  command(
    change?: Partial<PreAuthorizePayment> & { cardData?: Partial<CardData>; ofMerchant?: string },
  ): PreAuthorizePayment;
  context(change?: Partial<MessageContext>): MessageContext;
  send(command: PreAuthorizePayment, context?: MessageContext): Promise<CommandReply<ApiPaymentResponse>>;
  /** Any command of a merchant. */
  call<Request extends z.ZodType, Result extends z.ZodType>(
    command: Command<Request, Result, MessageContext>,
    payload: z.input<Request>,
    change?: Partial<MessageContext>,
  ): Promise<CommandReply<z.infer<Result>>>;
  /** What the acquirer does with the next calls of an operation. */
  acquirerWill(operation: string, behaviour: string, times?: number): Promise<void>;
  /** Forgets what the acquirer was to do with calls that have not come yet. */
  acquirerWillBehave(): Promise<void>;
  read(paymentId: string, merchantId?: string): Promise<CommandReply<ApiPaymentResponse>>;
  /** As the superuser: whatever any service wrote. */
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  ledger(paymentId: string): Promise<LedgerLine[]>;
  close(): Promise<void>;
};

const keys = { sealing: randomBytes(32), fingerprint: randomBytes(32) };

/** How long a test waits for an answer, however busy the machine is; the service is given a little less. */
const ANSWER_WITHIN_MS = 110_000;

export type PaymentsHarnessOptions = {
  /** Without the service: the test starts its processes itself. */
  alone?: boolean;
  /** After so long the bank drops a call that it never answers, so that the service need not be in a hurry. */
  hangMs?: number;
  logLevel?: "error" | "fatal";
};

export async function startPaymentsHarness(
  env: Record<string, string> = {},
  { alone = false, hangMs = 300, logLevel = "error" }: PaymentsHarnessOptions = {},
): Promise<PaymentsHarness> {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-payments-"));
  const [database, nats, acquirer] = await Promise.all([
    createTestDatabase(),
    startTestNats(),
    startAcquirerSimulator({ ledgerFile: join(dir, "ledger.ndjson"), hangMs }),
  ]);
  const environment = {
    HEALTH_PORT: "0",
    LISTEN_HOST: "127.0.0.1",
    DATABASE_URL: database.urls.payments.app,
    // A busy machine is not what a test is about.
    DATABASE_CONNECTION_TIMEOUT: "60s",
    ACQUIRER_TIMEOUT: "60s",
    NATS_URL: nats.url,
    ACQUIRER_URL: acquirer.url,
    CARD_SEALING_KEYS: `k1:${keys.sealing.toString("base64")}`,
    PAN_FINGERPRINT_KEY: keys.fingerprint.toString("base64"),
    DRAIN_TIMEOUT: "2s",
    ...env,
  };
  const start = (more: Record<string, string> = {}) =>
    startPayments(parseConfig(configSchema, { ...environment, ...more }), createLogger("payments", logLevel));
  const services = alone ? [] : [await start()];
  const bus = await connectBus({ url: nats.url, name: "test" });
  const superuser = new Pool({ connectionString: database.superuserUrl });
  superuser.on("error", () => undefined);
  const sealer = createCardSealer({ activeId: "k1", keys: new Map([["k1", keys.sealing]]) });
  const merchantId = randomUUID();
  const context: PaymentsHarness["context"] = (change = {}) => ({
    requestId: randomUUID(),
    deadlineAt: Date.now() + ANSWER_WITHIN_MS - 10_000,
    merchant: { merchantId, commission: { ratePercent: "2.50", fixed: "0.25", currency: "TRY" } },
    ...change,
  });

  return {
    bus,
    nats,
    database,
    acquirer,
    merchantId,
    context,
    environment,
    async startAnother(more) {
      const other = await start(more);
      services.push(other);
      return other;
    },
    command({ cardData, ofMerchant = merchantId, ...change } = {}) {
      const paymentId = change.paymentId ?? randomUUID();
      const card = new Card({
        pan: "4111111111111111",
        expiryMonth: "12",
        expiryYear: "30",
        cvv: "123",
        ...cardData,
      });
      return {
        paymentId,
        orderId: "order-1",
        amountMinor: "1250",
        currency: "TRY",
        cardHolderName: "Ada Lovelace",
        card: sealer.seal(card, { paymentId, merchantId: ofMerchant }),
        requestIp: "203.0.113.7",
        requestPort: 443,
        ...change,
      };
    },
    send: (command, given = context()) =>
      request(bus, preAuthorizePayment, given, command, {
        waitUntil: Date.now() + ANSWER_WITHIN_MS,
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      }),
    read: (paymentId, readerId = merchantId) =>
      request(
        bus,
        getPayment,
        context({ merchant: { merchantId: readerId } }),
        { paymentId },
        {
          waitUntil: Date.now() + ANSWER_WITHIN_MS,
          traceparent: "",
        },
      ),
    call: (command, payload, change) =>
      request(bus, command, context(change), payload, {
        waitUntil: Date.now() + ANSWER_WITHIN_MS,
        traceparent: "",
      }),
    async acquirerWill(operation, behaviour, times = 1) {
      const { ok } = await fetch(`${acquirer.url}/faults`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ operation, behaviour, times }),
      });
      if (!ok) throw new Error(`the simulator does not know ${operation} ${behaviour}`);
    },
    async acquirerWillBehave() {
      await fetch(`${acquirer.url}/faults`, { method: "DELETE" });
    },
    query: async <Row>(text: string, values: unknown[] = []) =>
      (await superuser.query(text, values)).rows as Row[],
    async ledger(paymentId) {
      const text = await (await fetch(`${acquirer.url}/ledger`)).text();
      const lines = text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as LedgerLine);
      return lines.filter(({ reference }) => reference.startsWith(paymentId));
    },
    async close() {
      await superuser.end();
      await bus.close(1_000);
      await Promise.all(services.map((each) => each.stop()));
      await Promise.all([acquirer.close(), nats.stop(), database.drop()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
