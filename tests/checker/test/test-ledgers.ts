import { isRefund, paymentIdOf, refundIdOf } from "../bank-lines.ts";
import {
  emptyLedgers,
  type BankCallRow,
  type BankLine,
  type HistoryEntry,
  type Ledgers,
  type OutboxRow,
  type PaymentHistoryRow,
  type PaymentRow,
} from "../ledgers.ts";

/** Builders of ledgers for the checker's own tests: a run in which everything is right, to plant violations in. */
export type TestLedgers = Ledgers & {
  /** A payment that was requested, approved, recorded, announced by webhook, and read. */
  paid(paymentId: string, change?: { key?: string; amount?: string; currency?: string }): void;
  /** A payment whose answer was lost, and which was reversed. */
  reversed(paymentId: string): void;
  post(entry: Partial<HistoryEntry> & { orderId: string; amount?: string; currency?: string }): HistoryEntry;
  get(paymentId: string, entry: Partial<HistoryEntry>): HistoryEntry;
  payment(paymentId: string): PaymentRow;
};

export const merchantId = "00000000-0000-7000-8000-0000000000aa";

/** A UUID that can be told apart by its last digit. */
export function idOf(number: number): string {
  return `00000000-0000-7000-8000-${`${number}`.padStart(12, "0")}`;
}

export function testLedgers(): TestLedgers {
  let clock = 0;
  const ledgers: TestLedgers = {
    ...emptyLedgers(),
    paid(paymentId, { key, amount = "12.50", currency = "TRY" } = {}) {
      const row = settledRow(paymentId, "SUCCESS", { amountMinor: minor(amount, currency), currency });
      addSettled(ledgers, row, ["AUTHORIZING", "SUCCESS"], amount);
      ledgers.bank.push(bankLine(row, "authorize", "approved"));
      const body = recordText(row, amount);
      const keyed = key === undefined ? {} : { idempotencyKey: key };
      ledgers.post({ orderId: row.orderId, amount, currency, status: 201, body, ...keyed });
      ledgers.get(paymentId, { status: 200, body });
    },
    reversed(paymentId) {
      const row = settledRow(paymentId, "FAILED", {
        authCode: null,
        externalTransactionId: null,
        resultCode: "reversed",
      });
      addSettled(ledgers, row, ["AUTHORIZING", "REVERSING", "FAILED"], "12.50");
      ledgers.bank.push(bankLine(row, "authorize", "approved"), bankLine(row, "reverse", "approved"));
      ledgers.post({ orderId: row.orderId, status: 504, body: problemText("outcome_unknown", paymentId) });
      ledgers.get(paymentId, { status: 200, body: recordText(row, "12.50") });
    },
    post({ orderId, amount = "12.50", currency = "TRY", ...entry }) {
      const order = { orderId, amount, currency, maskedPan: "411111******1111", behaviour: "approve_visa" };
      return add({ method: "POST", path: "/api/pre-authorization", order, ...entry });
    },
    get: (paymentId, entry) => add({ method: "GET", path: `/api/payment/${paymentId}`, ...entry }),
    payment(paymentId) {
      const found = ledgers.payments.find((row) => row.paymentId === paymentId);
      if (!found) throw new Error(`no payment ${paymentId} was built`);
      return found;
    },
  };
  const add = (entry: Partial<HistoryEntry> & Pick<HistoryEntry, "method" | "path">): HistoryEntry => {
    clock += 10;
    const sent: HistoryEntry = {
      sequence: clock,
      merchantId,
      gateway: "gateway-1",
      sentAt: clock,
      bytesSent: true,
      replayed: false,
      ...(entry.status !== undefined && { answeredAt: clock + 5 }),
      ...entry,
    };
    ledgers.history.push(sent);
    return sent;
  };
  return ledgers;
}

export function settledRow(paymentId: string, state: string, change: Partial<PaymentRow>): PaymentRow {
  return {
    paymentId,
    merchantId,
    accountId: "account-0",
    transactionType: "PRE_AUTHORIZATION",
    state,
    version: 0,
    orderId: `order-${paymentId.slice(-2)}`,
    amountMinor: 1_250n,
    currency: "TRY",
    cardSubType: null,
    externalTransactionId: `external-${paymentId}`,
    authCode: "123456",
    resultCode: "00",
    capturedMinor: 0n,
    releasedMinor: 0n,
    reservedMinor: 0n,
    refundedMinor: 0n,
    chargedBackMinor: 0n,
    ageMs: 60_000,
    attempts: 0,
    operated: false,
    scheduled: false,
    isUnauthenticated: false,
    ...change,
  };
}

/** The row with its history, and an event for its last step, which is a final state. */
export function addSettled(ledgers: Ledgers, row: PaymentRow, states: string[], amount: string): void {
  ledgers.payments.push({ ...row, version: states.length });
  const steps = states.map((to, index): PaymentHistoryRow => {
    const from = states[index - 1] ?? null;
    return {
      paymentId: row.paymentId,
      version: index + 1,
      from,
      to,
      cause: "test",
      transactionId: `${index}-${row.paymentId}`,
    };
  });
  ledgers.paymentHistory.push(...steps);
  ledgers.outbox.push(eventOf({ ...row, version: states.length }, steps.at(-1)?.transactionId ?? "", amount));
}

export function eventOf(row: PaymentRow, transactionId: string, amount = "12.50"): OutboxRow {
  const { paymentId, state: status, version } = row;
  const statusDate = new Date(COMMITTED_AT - 60_000 + version).toISOString();
  return {
    owner: "payments",
    eventId: `event-${transactionId}`,
    merchantId: row.merchantId,
    paymentId,
    status,
    body: recordText(row, amount).replace(/}$/, `,"version":${version},"statusDate":"${statusDate}"}`),
    transactionId,
    occurredAt: COMMITTED_AT,
    confirmed: true,
  };
}

/** The time at which everything was committed; webhooks come after it. */
export const COMMITTED_AT = Date.UTC(2026, 10, 20, 12);

export function bankLine(row: PaymentRow, operation: string, outcome: "approved" | "declined"): BankLine {
  return {
    accountId: row.accountId,
    sequence: 1,
    at: new Date(COMMITTED_AT).toISOString(),
    operation,
    reference: row.paymentId,
    parentReference: operation === "authorize" ? null : row.paymentId,
    amountMinor: row.amountMinor,
    currency: row.currency,
    outcome,
    externalTransactionId: row.externalTransactionId ?? "external",
    authCode: outcome === "approved" ? (row.authCode ?? "000000") : null,
    resultCode: outcome === "approved" ? "00" : "05",
  };
}

/** The calls that a bank's lines came by, as `payments` keeps them. */
export function callsOf(bank: readonly BankLine[]): BankCallRow[] {
  const called = bank.filter(({ uncalled }) => uncalled === undefined);
  return called.map((line, index) => ({
    paymentId: paymentIdOf(line),
    number: index + 1,
    accountId: line.accountId,
    kind: line.operation === "cancel" ? "void" : line.operation,
    movementId: isRefund(line.operation) ? refundIdOf(line) : null,
    outcome: line.operation === "reverse" ? "reversed" : line.outcome,
    name: line.externalTransactionId,
  }));
}

/** An answer's or a webhook's text, with the amount as it is written. */
export function recordText(
  row: Pick<PaymentRow, "paymentId" | "orderId" | "currency" | "state">,
  amount: string,
): string {
  const { paymentId, orderId, currency } = row;
  const status = row.state === "AUTHORIZING" || row.state === "REVERSING" ? "ENROLLED" : row.state;
  return JSON.stringify({ paymentId, orderId, amount: "AMOUNT", currency, status }).replace(
    '"AMOUNT"',
    amount,
  );
}

export function problemText(code: string, paymentId?: string): string {
  return JSON.stringify({ code, ...(paymentId !== undefined && { paymentId }) });
}

function minor(amount: string, currency: string): bigint {
  const decimals = currency === "JPY" ? 0 : currency === "KWD" ? 3 : 2;
  const [whole = "", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
