import type { CheckoutRow, HistoryEntry, Visit } from "../ledgers.ts";
import {
  addSettled,
  bankLine,
  idOf,
  merchantId,
  recordText,
  settledRow,
  type TestLedgers,
} from "./test-ledgers.ts";

/** Builders of checkouts for the checker's own tests. */
export const [paidCheckout, expiredCheckout, openCheckout, lostCheckout] = [
  idOf(101),
  idOf(102),
  idOf(103),
  idOf(104),
];
/** Payments of the paid checkout: a card that was declined, and the one that paid. */
export const [declinedPayment, payingPayment] = [idOf(111), idOf(112)];

/** Later than everything in a run of `testLedgers`. */
let clock = 1_000_000;

/**
 * Adds a checkout paid by the second card, an expired one, an open one, and one whose opening was not
 * answered; everything about them is right.
 */
export function addCheckouts(run: TestLedgers): void {
  const rows = [
    checkoutRow(paidCheckout, { state: "COMPLETED", paymentId: payingPayment, attempts: 2 }),
    checkoutRow(expiredCheckout, { state: "EXPIRED", overdue: true }),
    checkoutRow(openCheckout, {}),
    checkoutRow(lostCheckout, { state: "EXPIRED", overdue: true }),
  ];
  for (const row of rows) {
    const isLost = row.checkoutId === lostCheckout;
    open(run, row, isLost ? { error: "ECONNRESET" } : {});
    if (row.checkoutId === paidCheckout) pay(run, row);
    run.checkouts.push(row);
    if (isLost) continue;
    const shown = row.state === "COMPLETED" ? "paid" : row.state === "OPEN" ? "form" : "unpaid";
    visit(run, { checkoutId: row.checkoutId, action: "look", shown });
    readCheckout(run, row.checkoutId);
  }
}

function pay(run: TestLedgers, row: CheckoutRow): void {
  const sale = { orderId: row.orderId, transactionType: "PAYMENT" };
  const [declined, paying] = [
    settledRow(declinedPayment, "FAILED", { ...sale, authCode: null, resultCode: "05" }),
    settledRow(payingPayment, "SUCCESS", sale),
  ];
  const { checkoutId } = row;
  addSettled(run, declined, ["AUTHORIZING", "FAILED"], "12.50");
  addSettled(run, paying, ["AUTHORIZING", "SUCCESS"], "12.50");
  run.bank.push(bankLine(declined, "sale", "declined"), bankLine(paying, "sale", "approved"));
  for (const [index, { paymentId }] of [declined, paying].entries()) {
    run.checkoutPayments.push({ paymentId, checkoutId, attempt: index + 1, late: false });
    visit(run, { checkoutId, action: "pay", paymentId, status: 303 });
  }
}

export function checkoutRow(checkoutId: string, change: Partial<CheckoutRow>): CheckoutRow {
  return {
    checkoutId,
    merchantId,
    state: "OPEN",
    transactionType: "PAYMENT",
    orderId: `checkout-${checkoutId.slice(-3)}`,
    amountMinor: 1_250n,
    currency: "TRY",
    paymentId: null,
    attempts: 0,
    overdue: false,
    ...change,
  };
}

/** The POST of it, answered 201 with an open checkout unless an error is given. */
export function open(
  run: TestLedgers,
  row: CheckoutRow,
  { error, ...change }: Partial<HistoryEntry> = {},
): void {
  const { orderId, currency } = row;
  const checkout = {
    orderId,
    amount: "12.50",
    currency,
    transactionType: "PAYMENT",
    threeDs: false,
  } as const;
  add(run, {
    method: "POST",
    path: "/api/checkout",
    checkout,
    ...(error === undefined
      ? { status: 201, body: checkoutText({ ...row, state: "OPEN", paymentId: null }) }
      : { error }),
    ...change,
  });
}

/** A GET by the merchant: as it is, or as it is not. */
export function readCheckout(
  run: TestLedgers,
  checkoutId: string,
  change: Partial<CheckoutRow> & { amount?: string; status?: number } = {},
): void {
  const row = run.checkouts.find((each) => each.checkoutId === checkoutId);
  const { amount, status = 200, ...differing } = change;
  const payment = run.payments.find(({ paymentId }) => paymentId === (row?.paymentId ?? ""));
  const body = checkoutText(
    { ...(row ?? checkoutRow(checkoutId, {})), ...differing },
    amount,
    payment && recordText(payment, "12.50"),
  );
  add(run, { method: "GET", path: `/api/checkout/${checkoutId}`, status, ...(status === 200 && { body }) });
}

export function visit(run: TestLedgers, change: Partial<Visit> & Pick<Visit, "checkoutId" | "action">): void {
  clock += 10;
  run.visits.push({ sentAt: clock, answeredAt: clock + 5, status: 200, ...change });
}

function checkoutText(row: CheckoutRow, amount = "12.50", payment?: string): string {
  const { checkoutId, orderId, currency, state: status } = row;
  const fields = { checkoutId, checkoutUrl: "http://x/", orderId, amount: "AMOUNT", currency, status };
  const text = JSON.stringify(fields).replace('"AMOUNT"', amount);
  return payment === undefined ? text : `${text.slice(0, -1)},"payment":${payment}}`;
}

function add(run: TestLedgers, entry: Partial<HistoryEntry> & Pick<HistoryEntry, "method" | "path">): void {
  clock += 10;
  run.history.push({
    sequence: clock,
    merchantId,
    gateway: "gateway-1",
    sentAt: clock,
    bytesSent: true,
    replayed: false,
    ...(entry.status !== undefined && { answeredAt: clock + 5 }),
    ...entry,
  });
}
