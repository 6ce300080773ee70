import { againOf } from "../bank-lines.ts";
import type { BankLine, PaymentRow } from "../ledgers.ts";
import { bankLine, eventOf, idOf, problemText, recordText, type TestLedgers } from "./test-ledgers.ts";

/**
 * A payment with a key, a payment whose answer was lost and which was reversed, and ids without any record.
 */
export const [paid, reversed, other, unknown] = [idOf(1), idOf(2), idOf(3), idOf(9)];
export const keyed = { orderId: "order-01", idempotencyKey: "key-1" };

/** Adds a read while its reversal was under way. */
export function readEarlier(run: TestLedgers, id: string): void {
  const body = textOf(run, id, { state: "REVERSING" });
  run.get(id, { status: 200, body, sentAt: 1, answeredAt: 2 });
}

export function moveTo(run: TestLedgers, id: string, orderId: string): void {
  run.history = run.history.filter(
    ({ order, path }) => order?.orderId !== run.payment(id).orderId && !path.endsWith(id),
  );
  change(run, id, { orderId });
  run.outbox = run.outbox.map((event) =>
    event.paymentId === id ? eventOf(run.payment(id), event.transactionId) : event,
  );
}

export function capture(run: TestLedgers): void {
  const body = textOf(run, paid);
  stepTo(run, paid, "CAPTURED");
  change(run, paid, { capturedMinor: 1_250n });
  run.bank.push(followUp(run, "capture"));
  read(run, paid, {});
  run.post({ ...keyed, status: 201, replayed: true, body });
  const operation = {
    type: "CAPTURE",
    status: "DONE",
    amount: 12.5,
    resultCode: "00",
    at: "2026-11-20T12:00:00Z",
  };
  const shown = textOf(run, paid).replace(/}$/, `,"lastOperation":${JSON.stringify(operation)}}`);
  run.get(paid, { status: 200, body: shown });
}

export function textOf(
  run: TestLedgers,
  id: string,
  differing: Partial<PaymentRow> = {},
  amount = "12.50",
): string {
  return recordText({ ...run.payment(id), ...differing }, amount);
}

export function read(run: TestLedgers, id: string, differing: Partial<PaymentRow>, amount?: string): void {
  run.get(id, { status: 200, body: textOf(run, id, differing, amount) });
}

export function forgetReads(run: TestLedgers, id: string): void {
  run.history = run.history.filter(({ path }) => !path.endsWith(id));
}

export function readByAnother(run: TestLedgers, id: string): void {
  forgetReads(run, id);
  run.get(id, { status: 200, body: textOf(run, id), merchantId: unknown });
}

export function change(run: TestLedgers, id: string, differing: Partial<PaymentRow>): void {
  Object.assign(run.payment(id), differing);
}

export function changeEvent(run: TestLedgers, body: string): void {
  Object.assign(run.outbox[0] ?? {}, { body });
}

/** A payment that was never answered. */
export function addRow(run: TestLedgers, paymentId: string, orderId: string): void {
  run.payments.push({ ...run.payment(reversed), paymentId, orderId });
}

export function lineOf(run: TestLedgers, outcome: "approved" | "declined", reference: string): BankLine {
  return { ...bankLine(run.payment(paid), "authorize", outcome), reference };
}

/** A second success of a payment, which the bank has carried out by itself. */
export function again(run: TestLedgers, id: string, more: Partial<BankLine> = {}): BankLine {
  const line = bankLine(run.payment(id), "authorize", "approved");
  return { ...line, reference: againOf(id), externalTransactionId: "again", uncalled: "again", ...more };
}

/** The line of an end that the bank's staff makes in its panel, for this movement or the first one. */
export function inPanel(of: BankLine, operation: "reverse" | "refund"): BankLine {
  const reference = operation === "reverse" ? of.reference : `${of.reference}:reversal`;
  return { ...of, operation, reference, parentReference: of.reference, uncalled: "panel" };
}

export function followUp(run: TestLedgers, operation: string): BankLine {
  return { ...bankLine(run.payment(paid), operation, "approved"), reference: `${paid}:1` };
}

export function refuse(run: TestLedgers, entry: { amount?: string; sentAt?: number }, code: string): void {
  const status = code === "idempotency_key_reused" ? 422 : 409;
  run.post({ ...keyed, ...entry, status, body: problemText(code) });
}

/** A further step, with the row to match: only the table forbids it. */
export function stepTo(run: TestLedgers, paymentId: string, to: string): void {
  const { state: from, version } = run.payment(paymentId);
  run.paymentHistory.push({ paymentId, version: version + 1, from, to, cause: "test", transactionId: "x" });
  change(run, paymentId, { state: to, version: version + 1 });
}

export function forgetStep(run: TestLedgers, id: string, version: number): void {
  run.paymentHistory = run.paymentHistory.filter((step) => step.paymentId !== id || step.version !== version);
}
