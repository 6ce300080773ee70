import { createHash } from "node:crypto";
import type { AuditRow, RefundRow } from "../ledgers.ts";
import {
  addSettled,
  bankLine,
  COMMITTED_AT,
  eventOf,
  idOf,
  merchantId,
  recordText,
  settledRow,
  type TestLedgers,
} from "./test-ledgers.ts";

/** Builders of refunds for the checker's own tests. */
export const [refundedPayment, paidRefund, waitingRefund, rejectedRefund] = [
  idOf(200),
  idOf(201),
  idOf(202),
  idOf(203),
];

/**
 * Adds refunds to a sale of 100.00: 30.00 were paid back, 60.00 were rejected before, and 20.00, which an
 * operator requested for the merchant, are pending. Everything about them is right.
 */
export function addRefunds(run: TestLedgers): void {
  const sale = settledRow(refundedPayment, "SUCCESS", {
    transactionType: "PAYMENT",
    amountMinor: 10_000n,
    reservedMinor: 2_000n,
    refundedMinor: 3_000n,
  });
  addSettled(run, sale, ["AUTHORIZING", "SUCCESS"], "100.00");
  run.bank.push(bankLine(sale, "sale", "approved"));
  const { orderId } = sale;
  run.post({ orderId, amount: "100.00", status: 201, body: recordText(sale, "100.00") });
  run.get(refundedPayment, { status: 200, body: recordText(sale, "100.00") });

  addRefund(
    run,
    refundRow(rejectedRefund, "REJECTED", 6_000n, { rejectedBy: "bora" }),
    "RELEASED",
    [1, 3, 4],
  );
  addRefund(run, refundRow(paidRefund, "SUCCESS", 3_000n), "SETTLED", [2, 5, 6, 7]);
  addRefund(run, refundRow(waitingRefund, "PENDING_APPROVAL", 2_000n, { requestedBy: "cem" }), "ACTIVE", [8]);
  ask(run, rejectedRefund, "60.00");
  ask(run, paidRefund, "30.00");

  run.approvals.push({ refundId: paidRefund, approvedBy: "olga", at: new Date(COMMITTED_AT - 1_000) });
  run.bank.push({
    ...bankLine(sale, "refund", "approved"),
    reference: `${paidRefund}:refund`,
    amountMinor: 3_000n,
  });
  for (const [operator, action, subject] of [
    ["olga", "refund.approved", paidRefund],
    ["bora", "refund.rejected", rejectedRefund],
    ["cem", "refund.requested", waitingRefund],
  ] as const) {
    run.operations.push({ sequence: 1, operator, action, subject, bytesSent: true, status: 200 });
    writeDown(run, { actor: operator, action, subject });
  }
}

function refundRow(
  refundId: string,
  state: string,
  amountMinor: bigint,
  change: Partial<RefundRow> = {},
): RefundRow {
  return {
    refundId,
    paymentId: refundedPayment,
    merchantId,
    state,
    version: 0,
    kind: "refund",
    amountMinor,
    currency: "TRY",
    requestedBy: null,
    credentialIssuedBy: null,
    rejectedBy: null,
    attempts: 0,
    scheduled: false,
    ...change,
  };
}

/** @param transactions of its steps, in their order. */
function addRefund(run: TestLedgers, row: RefundRow, reserved: string, transactions: number[]): void {
  const { refundId, paymentId, amountMinor, state } = row;
  const states = WAYS[state] ?? [];
  run.refunds.push({ ...row, version: states.length });
  run.reservations.push({ refundId, paymentId, amountMinor, state: reserved });
  for (const [index, to] of states.entries()) {
    run.refundHistory.push({
      refundId,
      version: index + 1,
      from: states[index - 1] ?? "RESERVING",
      to,
      cause: "test",
      transactionId: `${transactions[index]}`,
    });
  }
  if (state === "PENDING_APPROVAL") return;
  const shown = settledRow(refundId, state, {
    orderId: orderIdOf(run),
    version: states.length,
    amountMinor,
  });
  const text = `${amountMinor / 100n}.00`;
  run.outbox.push({ ...eventOf(shown, `${transactions.at(-1)}`, text), owner: "refunds" });
}

const WAYS: Record<string, string[]> = {
  PENDING_APPROVAL: ["PENDING_APPROVAL"],
  SUCCESS: ["PENDING_APPROVAL", "EXECUTING", "SETTLING", "SUCCESS"],
  REJECTED: ["PENDING_APPROVAL", "REJECTING", "REJECTED"],
};

function orderIdOf(run: TestLedgers): string {
  return run.payment(refundedPayment).orderId;
}

/** Adds the refund's request, answered 202, and the answer of a GET at the end. */
function ask(run: TestLedgers, refundId: string, amount: string): void {
  const row = run.refunds.find((each) => each.refundId === refundId)!;
  const shown = { paymentId: refundId, orderId: orderIdOf(run), currency: "TRY" };
  run.post({
    orderId: "",
    path: `/api/payment/${refundedPayment}/refund`,
    refund: { paymentId: refundedPayment, amount, currency: "TRY" },
    status: 202,
    body: recordText({ ...shown, state: "PENDING_APPROVAL" }, amount),
  });
  delete run.history.at(-1)?.order;
  run.get(refundId, { status: 200, body: recordText({ ...shown, state: row.state }, amount) });
}

/** An entry at the end of the chain of `refunds`. */
export function writeDown(
  run: TestLedgers,
  entry: Pick<AuditRow, "actor" | "action" | "subject">,
  service: AuditRow["service"] = "refunds",
): void {
  const entries = run.audit.filter((each) => each.service === service);
  const head = entries.at(-1)?.hash ?? Buffer.alloc(32);
  const sequence = BigInt(entries.length + 1);
  const [at, detail] = [new Date(COMMITTED_AT), "{}"];
  const { actor, action, subject } = entry;
  const content = [sequence.toString(), at.toISOString(), actor, action, subject, detail];
  const hash = createHash("sha256").update(head).update(JSON.stringify(content)).digest();
  run.audit.push({ service, sequence, at, ...entry, detail, hash });
}
