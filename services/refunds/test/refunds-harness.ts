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
  approveRefund,
  Card,
  describeRefund,
  getRefund,
  preAuthorizePayment,
  rejectRefund,
  requestRefund,
  sellPayment,
  type ApiPaymentResponse,
  type Command,
  type CommandReply,
  type MessageContext,
  type OperatorContext,
  type OperatorRefundDetail,
} from "@holdfast/contracts";
import { connectBus, request, type Bus } from "@holdfast/messaging";
import { createLogger, parseConfig } from "@holdfast/service-runtime";
import {
  createTestDatabase,
  eventually,
  startTestNats,
  type TestDatabase,
  type TestNats,
} from "@holdfast/tests/support";
import {
  checkInvariants,
  describeViolation,
  emptyLedgers,
  INVARIANTS,
  readBankLines,
  readRows,
} from "@holdfast/tests/checker";
import { Pool } from "pg";
import type { z } from "zod";
import { configSchema as paymentsConfigSchema } from "../../payments/src/config.ts";
import { startPayments } from "../../payments/src/service.ts";
import { configSchema } from "../src/config.ts";
import { startRefunds } from "../src/service.ts";

type Started = { stop(): Promise<void>; healthPort: number };

/** The refunds service beside a real payments service, a database, a bus and a bank; the test plays the gateway. */
export type RefundsHarness = {
  bus: Bus;
  nats: TestNats;
  database: TestDatabase;
  acquirer: AcquirerSimulator;
  merchantId: string;
  /** Further processes of the services on the same database and bus. */
  startRefunds(env?: Record<string, string>): Promise<Started>;
  startPayments(env?: Record<string, string>): Promise<Started>;
  /** What the processes of the services get as environment, for tests that start them as real ones. */
  environment: { refunds: Record<string, string>; payments: Record<string, string> };
  context(change?: Partial<MessageContext>): MessageContext;
  /** Any command of a merchant. */
  call<Request extends z.ZodType, Result extends z.ZodType>(
    command: Command<Request, Result, MessageContext>,
    payload: z.input<Request>,
    change?: Partial<MessageContext>,
  ): Promise<CommandReply<z.infer<Result>>>;
  /** Any command of an operator. */
  operate<Request extends z.ZodType, Result extends z.ZodType>(
    command: Command<Request, Result, OperatorContext>,
    payload: z.input<Request>,
    operator?: string,
  ): Promise<CommandReply<z.infer<Result>>>;
  /** A sale, or an authorization. @returns its id. */
  pay(amountMinor?: string, how?: "sale" | "authorization"): Promise<string>;
  ask(
    paymentId: string,
    amountMinor: string,
    more?: { refundId?: string; currency?: string; change?: Partial<MessageContext> },
  ): Promise<CommandReply<ApiPaymentResponse>>;
  /** Asks, and expects it to be accepted. @returns the refund's id. */
  queue(paymentId: string, amountMinor: string): Promise<string>;
  approve(refundId: string, operator?: string): Promise<CommandReply<OperatorRefundDetail>>;
  reject(refundId: string, operator?: string): Promise<CommandReply<OperatorRefundDetail>>;
  read(refundId: string, merchantId?: string): Promise<CommandReply<ApiPaymentResponse>>;
  describe(refundId: string): Promise<CommandReply<OperatorRefundDetail>>;
  /** Waits until nothing is under way about the refund. @returns its state, or undefined when there is none. */
  settled(refundId: string): Promise<string | undefined>;
  /** As if the lease of who works on it had ended: whoever looks next goes on with it. */
  abandon(refundId: string): Promise<void>;
  /** What the acquirer does with the next calls of an operation. */
  acquirerWill(operation: string, behaviour: string, times?: number): Promise<void>;
  /** Forgets what the acquirer was to do with calls that have not come yet. */
  acquirerWillBehave(): Promise<void>;
  /** As the superuser: whatever any service wrote. */
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  wholeLedger(): Promise<LedgerLine[]>;
  /** Lines about one payment or refund, as `operation outcome amount`. */
  ledger(id: string): Promise<string[]>;
  events(refundId: string): Promise<string[]>;
  /** What is reserved, refunded and released of a payment. */
  amounts(paymentId: string): Promise<{ reserved: number; refunded: number; released: number }>;
  /** What breaks the promises about refunds, by the checker that uses none of this code. */
  broken(): Promise<string[]>;
  close(): Promise<void>;
};

/** How long a test waits for an answer, however busy the machine is. */
const ANSWER_WITHIN_MS = 100_000;

const keys = { sealing: randomBytes(32), fingerprint: randomBytes(32) };

export type HarnessOptions = {
  /** Environment of both services, and of each. */
  env?: Record<string, string>;
  refunds?: Record<string, string>;
  payments?: Record<string, string>;
  /** Services that the test starts by itself. */
  without?: ("refunds" | "payments")[];
};

export async function startRefundsHarness(options: HarnessOptions = {}): Promise<RefundsHarness> {
  const dir = await mkdtemp(join(tmpdir(), "holdfast-refunds-"));
  const [database, nats, acquirer] = await Promise.all([
    createTestDatabase(),
    startTestNats(),
    startAcquirerSimulator({ ledgerFile: join(dir, "ledger.ndjson"), latenessMs: 300, hangMs: 300 }),
  ]);
  const common = {
    HEALTH_PORT: "0",
    LISTEN_HOST: "127.0.0.1",
    NATS_URL: nats.url,
    ACQUIRER_URL: acquirer.url,
    DRAIN_TIMEOUT: "500ms",
    // A busy machine is not what a test is about. The bank drops by itself what it never answers.
    DATABASE_CONNECTION_TIMEOUT: "60s",
    ACQUIRER_TIMEOUT: "60s",
    ...options.env,
  };
  const environment = {
    refunds: {
      ...common,
      PAYMENTS_TIMEOUT: "60s",
      DATABASE_URL: database.urls.refunds.app,
      ...options.refunds,
    },
    payments: {
      ...common,
      // The haste is about refunds; the payments themselves are to be there.
      ACQUIRER_TIMEOUT: "60s",
      LEASE_DURATION: "30s",
      DATABASE_URL: database.urls.payments.app,
      CARD_SEALING_KEYS: `k1:${keys.sealing.toString("base64")}`,
      PAN_FINGERPRINT_KEY: keys.fingerprint.toString("base64"),
      ...options.payments,
    },
  };
  const services: Started[] = [];
  const kept = async (starting: Promise<Started>): Promise<Started> => {
    const service = await starting;
    let stopping: Promise<void> | undefined;
    const once = { ...service, stop: () => (stopping ??= service.stop()) };
    services.push(once);
    return once;
  };
  const another = {
    startRefunds: (env: Record<string, string> = {}) =>
      kept(
        startRefunds(
          parseConfig(configSchema, { ...environment.refunds, ...env }),
          createLogger("refunds", env["LOG_LEVEL"] ?? "fatal"),
        ),
      ),
    startPayments: (env: Record<string, string> = {}) =>
      kept(
        startPayments(
          parseConfig(paymentsConfigSchema, { ...environment.payments, ...env }),
          createLogger("payments", "fatal"),
        ),
      ),
  };
  const without = new Set(options.without);
  if (!without.has("payments")) await another.startPayments();
  if (!without.has("refunds")) await another.startRefunds();
  const bus = await connectBus({ url: nats.url, name: "test" });
  const superuser = new Pool({ connectionString: database.superuserUrl, max: 4 });
  superuser.on("error", () => undefined);
  const sealer = createCardSealer({ activeId: "k1", keys: new Map([["k1", keys.sealing]]) });
  const merchantId = randomUUID();

  const context: RefundsHarness["context"] = (change = {}) => ({
    requestId: randomUUID(),
    deadlineAt: Date.now() + ANSWER_WITHIN_MS,
    merchant: { merchantId },
    ...change,
  });
  const wire = (deadlineAt: number) => ({
    waitUntil: deadlineAt + 2_000,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  });
  const call: RefundsHarness["call"] = (command, payload, change) => {
    const given = context(change);
    return request(bus, command, given, payload, wire(given.deadlineAt));
  };
  const operate: RefundsHarness["operate"] = (command, payload, name = "olga") => {
    const deadlineAt = Date.now() + ANSWER_WITHIN_MS;
    return request(
      bus,
      command,
      { requestId: randomUUID(), deadlineAt, operator: { name } },
      payload,
      wire(deadlineAt),
    );
  };
  const query = async <Row>(text: string, values: unknown[] = []) =>
    (await superuser.query(text, values)).rows as Row[];
  const ledgerText = async () => await (await fetch(`${acquirer.url}/ledger`)).text();
  const wholeLedger = async () =>
    (await ledgerText())
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LedgerLine);
  const ask: RefundsHarness["ask"] = (
    paymentId,
    amountMinor,
    { refundId = randomUUID(), currency = "TRY", change } = {},
  ) => call(requestRefund, { refundId, paymentId, amountMinor, currency }, change);

  return {
    bus,
    nats,
    database,
    acquirer,
    merchantId,
    environment,
    ...another,
    context,
    call,
    operate,
    async pay(amountMinor = "10000", how = "sale") {
      const card = new Card({ pan: "4111111111111111", expiryMonth: "12", expiryYear: "30", cvv: "123" });
      // On a busy machine one may not be started, or the bank's time-out pass: its end is another story, this is about
      // refunds.
      return await eventually(async () => {
        const paymentId = randomUUID();
        const reply = await call(how === "sale" ? sellPayment : preAuthorizePayment, {
          paymentId,
          orderId: "order-1",
          amountMinor,
          currency: "TRY",
          cardHolderName: "Ada Lovelace",
          card: sealer.seal(card, { paymentId, merchantId }),
          requestIp: "203.0.113.7",
          requestPort: 443,
          customerId: "customer-1",
        });
        return reply.outcome === "done" && reply.result.status === "SUCCESS" && paymentId;
      });
    },
    ask,
    async queue(paymentId, amountMinor) {
      const reply = await ask(paymentId, amountMinor);
      if (reply.outcome !== "done") throw new Error(`not accepted: ${JSON.stringify(reply)}`);
      return reply.result.paymentId;
    },
    approve: (refundId, operator) => operate(approveRefund, { refundId }, operator),
    reject: (refundId, operator) => operate(rejectRefund, { refundId, reason: "not this one" }, operator),
    read: (refundId, reader = merchantId) =>
      call(getRefund, { refundId }, { merchant: { merchantId: reader } }),
    describe: (refundId) => operate(describeRefund, { refundId }),
    settled: async (refundId) =>
      (
        await eventually(
          async () => {
            const rows = await query<{ state: string; recover_at: Date | null }>(
              "select state, recover_at from refunds.refund where refund_id = $1",
              [refundId],
            );
            return rows.every(({ recover_at }) => recover_at === null) && { state: rows[0]?.state };
          },
          { everyMs: 10 },
        )
      ).state,
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
    async abandon(refundId) {
      await query(
        "update refunds.refund set recover_at = now() where refund_id = $1 and recover_at is not null",
        [refundId],
      );
    },
    query,
    wholeLedger,
    ledger: async (id) =>
      (await wholeLedger())
        .filter(({ reference }) => reference.startsWith(id))
        .map(({ operation, outcome, amountMinor }) => `${operation} ${outcome} ${amountMinor}`),
    events: async (refundId) =>
      (
        await query<{ status: string }>("select status from refunds.outbox where payment_id = $1", [refundId])
      ).map(({ status }) => status),
    async amounts(paymentId) {
      const [row] = await query<{ reserved: number; refunded: number; released: number }>(
        `select reserved_minor::int as reserved, refunded_minor::int as refunded, released_minor::int as released
         from payments.payment where payment_id = $1`,
        [paymentId],
      );
      return row!;
    },
    async broken() {
      const bank = readBankLines(await ledgerText());
      const ledgers = { ...emptyLedgers(), ...(await readRows(query)), bank };
      return checkInvariants(ledgers, JUDGED).map(describeViolation);
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

/** What can be judged without a merchant's history and without a dispatcher. */
const JUDGED = INVARIANTS.filter(({ subject, number }) =>
  subject === "refunds" ? number !== 2 : subject === "payments" && [3, 4, 5, 8, 23, 25, 27].includes(number),
);

/** Settings with which recovery comes within milliseconds of an attempt, and of a lease's end. */
export const FAST = {
  RECOVERY_SCHEDULE: "50ms,100ms,200ms,400ms,800ms",
  RECOVERY_INTERVAL: "20ms",
};
