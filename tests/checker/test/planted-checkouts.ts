import type { CheckoutPaymentRow, CheckoutRow } from "../ledgers.ts";
import {
  checkoutRow,
  declinedPayment,
  expiredCheckout,
  lostCheckout,
  open,
  openCheckout,
  paidCheckout,
  payingPayment,
  readCheckout,
  visit,
} from "./test-checkouts.ts";
import type { Planted } from "./planted.ts";
import { bankLine, eventOf, idOf, merchantId, type TestLedgers } from "./test-ledgers.ts";

const stranger = idOf(9);

/** Violations of the promises about checkouts, planted in a run in which everything is right. */
export const PLANTED_IN_CHECKOUTS: Record<number, Planted[]> = {
  31: [
    ["2 payments of it succeeded", paidCheckout, (run) => succeed(run, declinedPayment)],
    ["is EXPIRED, and a payment of it succeeded", paidCheckout, (run) => change(run, { state: "EXPIRED" })],
    ["is OPEN, and a payment of it succeeded", paidCheckout, (run) => change(run, { state: "OPEN" })],
    ["by a payment that never succeeded", paidCheckout, (run) => change(run, { paymentId: declinedPayment })],
    ["by a payment that never succeeded", expiredCheckout, (run) => complete(run, expiredCheckout)],
    [
      "is COMPLETED over a payment whose outcome is not known",
      paidCheckout,
      (run) => Object.assign(run.payment(declinedPayment), { state: "REVERSING" }),
    ],
    [
      "approved its payment 0 times",
      paidCheckout,
      (run) => void (run.bank = run.bank.filter(({ reference }) => reference !== payingPayment)),
    ],
    [
      "approved its payment 2 times",
      paidCheckout,
      (run) => approve(run, payingPayment, `${payingPayment}:2`),
    ],
    ["at the bank sale", paidCheckout, (run) => change(run, { transactionType: "PRE_AUTHORIZATION" })],
    ["holds money of 1 earlier", paidCheckout, (run) => approve(run, declinedPayment, declinedPayment)],
    [
      "and 0 events tell of a success",
      paidCheckout,
      (run) => void (run.outbox = run.outbox.filter(({ paymentId }) => paymentId !== payingPayment)),
    ],
    [
      "and 2 events tell of a success",
      paidCheckout,
      (run) => run.outbox.push(eventOf(run.payment(payingPayment), "again")),
    ],
  ],
  32: [
    ["counts 3 attempts", paidCheckout, (run) => change(run, { attempts: 3 })],
    ["those of numbers 1,3", paidCheckout, (run) => changeLast(run, { attempt: 3 })],
    ["does not name its last", paidCheckout, (run) => change(run, { paymentId: declinedPayment })],
    [
      "was tried 6 times",
      paidCheckout,
      (run) => {
        for (const attempt of [3, 4, 5, 6]) run.checkoutPayments.push({ ...lastOf(run), attempt });
      },
    ],
    [
      "was tried again while a payment was under way",
      paidCheckout,
      (run) => Object.assign(run.payment(declinedPayment), { state: "AUTHORIZING" }),
    ],
    ["time was over", payingPayment, (run) => changeLast(run, { late: true })],
    [
      "no form was sent",
      payingPayment,
      (run) => void (run.visits = run.visits.filter(({ action }) => action !== "pay")),
    ],
    ["another merchant's", payingPayment, (run) => change(run, { merchantId: stranger })],
    ["another order", payingPayment, (run) => change(run, { orderId: "b" })],
    ["is 1250 TRY of 1251 TRY", payingPayment, (run) => change(run, { amountMinor: 1_251n })],
    ["is 1250 TRY of 1250 EUR", payingPayment, (run) => change(run, { currency: "EUR" })],
  ],
  33: [["is OPEN although", openCheckout, (run) => change(run, { overdue: true }, openCheckout)]],
  34: [
    ["2 checkouts nobody was told of", "checkout-104", (run) => addRow(run, "checkout-104")],
    ["1 checkouts nobody was told of", "checkout-102", (run) => addRow(run, "checkout-102")],
    [
      "2 checkouts under one key",
      "checkout-103",
      (run) => {
        addRow(run, "checkout-103");
        open(run, rowOf(run, openCheckout), { idempotencyKey: "k" });
      },
    ],
    [
      "different answers under one key",
      "checkout-103",
      (run) =>
        open(run, rowOf(run, openCheckout), {
          idempotencyKey: "k",
          body: `{"checkoutId":"${openCheckout}","orderId":"checkout-103","amount":12.50,"currency":"TRY","status":"EXPIRED"}`,
        }),
    ],
    [
      "does not exist",
      openCheckout,
      (run) => void (run.checkouts = run.checkouts.filter(({ checkoutId }) => checkoutId !== openCheckout)),
    ],
    [
      "shown as checkout-103 12.05",
      openCheckout,
      (run) => readCheckout(run, openCheckout, { amount: "12.05" }),
    ],
    [
      "shown as checkout-103 12.50 EUR",
      openCheckout,
      (run) => readCheckout(run, openCheckout, { currency: "EUR" }),
    ],
    ["shown as b 12.50", openCheckout, (run) => readCheckout(run, openCheckout, { orderId: "b" })],
    [
      "COMPLETED with a payment undefined",
      expiredCheckout,
      (run) => readCheckout(run, expiredCheckout, { state: "COMPLETED" }),
    ],
    ["answered 404", openCheckout, (run) => readCheckout(run, openCheckout, { status: 404 })],
    [
      "no later GET found it",
      openCheckout,
      (run) => void (run.history = run.history.filter(({ path }) => !path.endsWith(openCheckout))),
    ],
    ["told that there is none", openCheckout, (run) => look(run, openCheckout, "missing")],
    ["somebody was told COMPLETED", expiredCheckout, (run) => look(run, expiredCheckout, "paid")],
    ["somebody was told UNPAID", paidCheckout, (run) => look(run, paidCheckout, "unpaid")],
    [
      "somebody was told UNPAID",
      openCheckout,
      (run) => readCheckout(run, openCheckout, { state: "CANCELLED" }),
    ],
    ["COMPLETED and later as something else", paidCheckout, (run) => look(run, paidCheckout, "form")],
    [
      "COMPLETED and later as something else",
      paidCheckout,
      (run) => readCheckout(run, paidCheckout, { state: "OPEN" }),
    ],
    ["UNPAID and later as something else", expiredCheckout, (run) => look(run, expiredCheckout, "waiting")],
  ],
};

/** Runs that look like a violation but are not. */
export const ALLOWED_IN_CHECKOUTS: [what: string, plant: (run: TestLedgers) => void][] = [
  [
    "a checkout that is open past its time for a moment yet",
    (run) => change(run, { overdue: false }, openCheckout),
  ],
  [
    "a payment that was cancelled after it had completed its checkout",
    (run) => {
      const { version } = run.payment(payingPayment);
      const step = {
        paymentId: payingPayment,
        version: version + 1,
        cause: "test",
        transactionId: "cancelled",
      };
      run.paymentHistory.push({ ...step, from: "SUCCESS", to: "CANCELLED" });
      Object.assign(run.payment(payingPayment), { state: "CANCELLED", version: version + 1 });
      run.outbox.push(eventOf(run.payment(payingPayment), "cancelled"));
      run.bank.push({
        ...bankLine(run.payment(payingPayment), "cancel", "approved"),
        reference: `${payingPayment}:1`,
      });
      readCheckout(run, paidCheckout);
    },
  ],
  [
    "a buyer's page that was sent before it was paid",
    (run) => visit(run, { checkoutId: paidCheckout, action: "look", shown: "form", sentAt: 1 }),
  ],
  [
    "a repetition of the opening, answered as the first one was",
    (run) => open(run, rowOf(run, expiredCheckout), { replayed: true }),
  ],
  [
    "a lost opening that left nothing",
    (run) => void (run.checkouts = run.checkouts.filter(({ checkoutId }) => checkoutId !== lostCheckout)),
  ],
];

function rowOf(run: TestLedgers, checkoutId: string): CheckoutRow {
  const found = run.checkouts.find((row) => row.checkoutId === checkoutId);
  if (!found) throw new Error(`no checkout ${checkoutId} was built`);
  return found;
}

function change(run: TestLedgers, differing: Partial<CheckoutRow>, checkoutId = paidCheckout): void {
  Object.assign(rowOf(run, checkoutId), differing);
}

function complete(run: TestLedgers, checkoutId: string): void {
  change(run, { state: "COMPLETED" }, checkoutId);
}

function lastOf(run: TestLedgers): CheckoutPaymentRow {
  const last = run.checkoutPayments.at(-1);
  if (!last) throw new Error("no payment of a checkout was built");
  return last;
}

function changeLast(run: TestLedgers, differing: Partial<CheckoutPaymentRow>): void {
  Object.assign(lastOf(run), differing);
}

/** A checkout that was never answered. */
function addRow(run: TestLedgers, orderId: string): void {
  run.checkouts.push(checkoutRow(stranger, { merchantId, orderId }));
}

function succeed(run: TestLedgers, paymentId: string): void {
  run.paymentHistory.push({
    paymentId,
    version: 3,
    from: "FAILED",
    to: "SUCCESS",
    cause: "test",
    transactionId: "x",
  });
}

function approve(run: TestLedgers, paymentId: string, reference: string): void {
  run.bank.push({ ...bankLine(run.payment(paymentId), "sale", "approved"), reference });
}

function look(
  run: TestLedgers,
  checkoutId: string,
  shown: "form" | "waiting" | "paid" | "unpaid" | "missing",
) {
  visit(run, { checkoutId, action: "look", shown });
}
