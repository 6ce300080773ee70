import { randomUUID } from "node:crypto";
import { agreeToRefund, getRefund, operations, type MessageContext } from "@holdfast/contracts";
import { startBankFront } from "./bank-front.ts";
import { createLogger } from "@holdfast/service-runtime";
import {
  checkInvariants,
  describeViolation,
  emptyLedgers,
  INVARIANTS,
  readBankLines,
  readRows,
} from "../checker/index.ts";
import {
  eventually,
  startTestSystem,
  TEST_ACCOUNT_ID,
  type TestBank,
  type TestSystem,
  type TestSystemOptions,
} from "../support/index.ts";

export type RefundsHarness = Awaited<ReturnType<typeof startRefundsHarness>>;

type RefundsOptions = Pick<TestSystemOptions, "env" | "running" | "bank" | "account" | "log"> & {
  /** Settings of refunds alone, and of payments. */
  refunds?: Record<string, string>;
  payments?: Record<string, string>;
};

type AskOptions = {
  refundId?: string;
  currency?: string;
  reason?: string;
  change?: Partial<MessageContext>;
};

/** The refunds service beside the payments service, with the calls of merchants and operators about refunds. */
export async function startRefundsHarness({ refunds = {}, payments = {}, ...options }: RefundsOptions = {}) {
  const system = await startTestSystem({
    services: ["payments", "refunds"],
    log: (service) => createLogger(service, "fatal"),
    ...options,
    // Only refunds have short times here; the payments themselves have to succeed.
    envOf: { refunds, payments: { ACQUIRER_TIMEOUT: "60s", LEASE_DURATION: "180s", ...payments } },
    bank: { latenessMs: 300, ...options.bank },
  });
  const { call, operate, query, merchantId } = system;
  const bank = system.bank!;

  const ask = (
    paymentId: string,
    amountMinor: string,
    { refundId = randomUUID(), currency = "TRY", reason, change }: AskOptions = {},
  ) => call(operations.requestRefund.command, { refundId, paymentId, amountMinor, currency, reason }, change);

  return {
    ...system,
    ...bank,
    startRefunds: (env?: Record<string, string>) => system.start("refunds", env),
    startPayments: (env?: Record<string, string>) => system.start("payments", env),
    /** A sale, or an authorization. @returns its id. */
    pay: (amountMinor = "10000", how: "sale" | "authorization" = "sale"): Promise<string> =>
      // Pays again where a process did not start or the bank's time-out passed on a busy machine: the tests are about
      // refunds.
      eventually(async () => {
        const command = system.command({ amountMinor, customerId: "customer-1" });
        const reply = await call(
          how === "sale" ? operations.pay.command : operations.preAuthorize.command,
          command,
        );
        return reply.outcome === "done" && reply.result.status === "SUCCESS" && command.paymentId;
      }),
    ask,
    /** Asks, and expects it to be accepted. @returns the refund's id. */
    async queue(paymentId: string, amountMinor: string): Promise<string> {
      const reply = await ask(paymentId, amountMinor);
      if (reply.outcome !== "done") throw new Error(`not accepted: ${JSON.stringify(reply)}`);
      return reply.result.paymentId;
    },
    /** A person agrees at payments. @returns the agreement, which an approval at refunds has to name. */
    async agree(refundId: string, operator?: string) {
      const reply = await operate(agreeToRefund, { refundId }, operator);
      if (reply.outcome !== "done") throw new Error(`not agreed: ${JSON.stringify(reply)}`);
      return reply.result;
    },
    reject: (refundId: string, operator?: string) =>
      operate(operations.rejectRefund.command, { refundId, reason: "not this one" }, operator),
    inquire: (refundId: string, operator?: string) =>
      operate(operations.inquireRefund.command, { refundId }, operator),
    resolve: (operator: string, refundId: string, outcome: "SUCCESS" | "FAILED") =>
      operate(operations.resolveRefund.command, { refundId, outcome, evidence: "call 17" }, operator),
    read: (refundId: string, reader = merchantId) =>
      call(getRefund, { refundId }, { merchant: { merchantId: reader } }),
    describe: (refundId: string) => operate(operations.getOperatorRefund.command, { refundId }),
    /** Ends the lease of the process that works on the refund, so that the next process continues it. */
    abandon: (refundId: string) =>
      query("update refunds.refund set recover_at = now() where refund_id = $1 and recover_at is not null", [
        refundId,
      ]),
    ...createWitness(query, bank),
  };
}

/** The two services behind a front before the bank; `close` closes all. */
export async function startBehindFront(
  {
    payments = {},
    refunds = {},
  }: { payments?: Record<string, string>; refunds?: Record<string, string> } = {},
  options: RefundsOptions = {},
) {
  const harness = await startRefundsHarness({ ...options, payments, refunds, running: [] });
  const front = await startBankFront(harness.acquirer.url);
  await harness.moveAccount(front.url);
  await harness.startPayments();
  await harness.startRefunds();
  const close = async () => {
    await front.close();
    await harness.close();
  };
  return { refunds: harness, front, close };
}

/** Reads the outcome of a refund and its payment from the rows of both services and the bank's ledger. */
function createWitness(query: TestSystem["query"], bank: TestBank) {
  return {
    /**
     * Waits until nothing of the refund is under way. @returns its state, or undefined if it does not exist.
     */
    async settled(refundId: string): Promise<string | undefined> {
      const settled = async () => {
        const rows = await query<{ state: string; recover_at: Date | null }>(
          "select state, recover_at from refunds.refund where refund_id = $1",
          [refundId],
        );
        return rows.every(({ recover_at }) => recover_at === null) && { state: rows[0]?.state };
      };
      return (await eventually(settled, { everyMs: 10 })).state;
    },
    /** Lines about one payment or refund, as `operation outcome amount`. */
    ledger: async (id: string) =>
      (await bank.wholeLedger())
        .filter(({ reference }) => reference.startsWith(id))
        .map(({ operation, outcome, amountMinor }) => `${operation} ${outcome} ${amountMinor}`),
    events: async (refundId: string) =>
      (
        await query<{ status: string }>(
          "select status from refunds.outbox where payment_id = $1 and event_type = 'payment.status_changed'",
          [refundId],
        )
      ).map(({ status }) => status),
    /** The reserved, refunded and released amounts of a payment. */
    async amounts(paymentId: string) {
      const [row] = await query<{ reserved: number; refunded: number; released: number }>(
        `select reserved_minor::int as reserved, refunded_minor::int as refunded, released_minor::int as released
         from payments.payment where payment_id = $1`,
        [paymentId],
      );
      return row!;
    },
    /** Violations of the promises about refunds, by the checker, which uses none of this code. */
    async broken() {
      const lines = readBankLines(await bank.ledgerText(), TEST_ACCOUNT_ID);
      const ledgers = {
        ...emptyLedgers({ refusalsAreLines: [TEST_ACCOUNT_ID] }),
        ...(await readRows(query)),
        bank: lines,
      };
      return checkInvariants(ledgers, JUDGED).map(describeViolation);
    },
  };
}

/** The invariants that need neither a merchant's history nor a dispatcher. */
const JUDGED = INVARIANTS.filter(({ subject, number }) =>
  subject === "refunds" ? number !== 2 : subject === "payments" && [3, 4, 5, 8, 23, 25, 27].includes(number),
);

/** Settings with which recovery comes within milliseconds of an attempt, and of a lease's end. */
export const FAST = {
  RECOVERY_SCHEDULE: "50ms,100ms,200ms,400ms,800ms",
  RECOVERY_INTERVAL: "20ms",
};
