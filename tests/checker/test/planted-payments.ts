import {
  addRow,
  again,
  capture,
  change,
  changeEvent,
  followUp,
  forgetReads,
  forgetStep,
  inPanel,
  keyed,
  lineOf,
  moveTo,
  other,
  paid,
  read,
  readByAnother,
  readEarlier,
  refuse,
  reversed,
  stepTo,
  textOf,
  unknown,
} from "./change-payments.ts";
import type { Planted } from "./planted.ts";
import { bankLine, eventOf, idOf, problemText, type TestLedgers } from "./test-ledgers.ts";

/** Payments of all ends, and requests that were refused or lost; everything about them is right. */
export function addPayments(run: TestLedgers): void {
  run.paid(paid, { key: "key-1" });
  run.reversed(reversed);
  run.paid(idOf(4), { amount: "1250", currency: "JPY" });
  run.paid(idOf(5), { amount: "0.125", currency: "KWD" });
  run.post({ ...keyed, status: 201, replayed: true, body: textOf(run, paid) });
  run.post({ ...keyed, amount: "9.00", status: 422, body: problemText("idempotency_key_reused") });
  run.get(paid, { status: 200, body: textOf(run, paid) });
  run.post({ orderId: "never-left", bytesSent: false, error: "ECONNREFUSED" });
  run.post({ orderId: "lost", error: "ECONNRESET" });
  run.post({ orderId: "refused", status: 503, body: problemText("service_unavailable") });
  run.post({ orderId: "nothing", status: 504, body: problemText("outcome_unknown", unknown) });
  run.get(unknown, { status: 404, body: problemText("payment_not_found") });
}

/** Violations of the promises about payments, planted in a run in which everything is right. */
export const PLANTED_IN_PAYMENTS: Record<number, Planted[]> = {
  1: [
    ["no later GET found it", paid, (run) => forgetReads(run, paid)],
    ["later GETs answered 404", paid, (run) => run.get(paid, { status: 404 })],
    ["no later GET found it", paid, (run) => readByAnother(run, paid)],
    ["read later as b 12.50 TRY", paid, (run) => read(run, paid, { orderId: "b" })],
    ["read later as order-01 12.50 TRY FAILED", paid, (run) => read(run, paid, { state: "FAILED" })],
    ["read later as order-01 12.50 EUR", paid, (run) => read(run, paid, { currency: "EUR" })],
    ["read later as order-01 12.5 TRY", paid, (run) => read(run, paid, {}, "12.5")],
    ["read later as no payment's record", paid, (run) => run.get(paid, { status: 200, body: "{}" })],
    ["another order than b", paid, (run) => run.post({ orderId: "b", status: 201, body: textOf(run, paid) })],
  ],
  2: [
    [
      "2 payments that nobody was told of",
      "lost",
      (run) => [other, unknown].map((id) => addRow(run, id, "lost")),
    ],
    ["1 payments that nobody was told of", "refused", (run) => addRow(run, other, "refused")],
    ["1 payments that nobody was told of", "never-left", (run) => addRow(run, other, "never-left")],
    [
      "the bank knows it and no record does",
      unknown,
      (run) => run.bank.push(lineOf(run, "declined", unknown)),
    ],
    ["although a GET after the 504 said 404", reversed, (run) => run.get(reversed, { status: 404 })],
    ["nobody is bound to look", paid, (run) => change(run, paid, { operated: true })],
    ["nobody is bound to look", reversed, (run) => change(run, reversed, { state: "REVERSING" })],
  ],
  3: [
    [
      "2 authorizations were approved",
      reversed,
      (run) => run.bank.push(lineOf(run, "approved", `${reversed}:2`)),
    ],
    ["is SUCCESS, and 0", paid, (run) => run.bank.push(bankLine(run.payment(paid), "reverse", "approved"))],
    ["is SUCCESS, and 0", paid, (run) => run.bank.push(followUp(run, "cancel"))],
    [
      "is CAPTURED, and 0",
      paid,
      (run) => [run.bank.push(followUp(run, "release")), change(run, paid, { state: "CAPTURED" })],
    ],
    ["is SUCCESS, and 0", paid, (run) => Object.assign(run.bank[0] ?? {}, { outcome: "declined" })],
    ["is SUCCESS, and was captured 1 times", paid, (run) => run.bank.push(followUp(run, "capture"))],
    ["is CAPTURED, and was captured 0 times", paid, (run) => change(run, paid, { state: "CAPTURED" })],
    ["is FAILED, and 1", paid, (run) => change(run, paid, { state: "FAILED" })],
    ["is REJECTED, and 1", paid, (run) => change(run, paid, { state: "REJECTED" })],
  ],
  4: [
    ["without a payment", other, (run) => run.bank.push(lineOf(run, "approved", other))],
    ["differs from what stands", paid, (run) => change(run, paid, { authCode: "999999" })],
    ["differs from what stands", paid, (run) => change(run, paid, { externalTransactionId: "b" })],
    ["differs from what stands", paid, (run) => change(run, paid, { currency: "EUR" })],
    ["differs from what stands", paid, (run) => change(run, paid, { amountMinor: 1n, state: "AUTHORIZING" })],
  ],
  5: [
    ["unknown to the bank, and no reversal", reversed, (run) => void run.bank.splice(1, 2)],
    ["approved at the bank, and never reversed", reversed, (run) => void run.bank.splice(2, 1)],
    ["and the bank was asked", reversed, (run) => change(run, reversed, { state: "REJECTED" })],
  ],
  6: [
    ["was shown as 1205 TRY", reversed, (run) => read(run, reversed, {}, "12.05")],
    [
      "was shown as (12.499999999999998) TRY",
      paid,
      (run) => changeEvent(run, textOf(run, paid, {}, "12.499999999999998")),
    ],
    ["was shown as 1250 USD", paid, (run) => changeEvent(run, textOf(run, paid, { currency: "USD" }))],
    ["at the bank 1251 TRY", reversed, (run) => Object.assign(run.bank[1] ?? {}, { amountMinor: 1_251n })],
    ["at the bank 1250 EUR", reversed, (run) => Object.assign(run.bank[2] ?? {}, { currency: "EUR" })],
    [
      "captured 1000, at the bank 1250 TRY",
      paid,
      (run) => [capture(run), change(run, paid, { capturedMinor: 1_000n })],
    ],
    ["which nobody asked for", paid, (run) => change(run, paid, { amountMinor: 1_200n })],
  ],
  7: [
    ["2 payments under one key", other, (run) => addRow(run, other, "order-01")],
    [
      "the bank was asked 2 times",
      other,
      (run) => [addRow(run, other, "order-01"), run.bank.push(lineOf(run, "declined", other))],
    ],
    [
      "2 different final answers",
      "key-1",
      (run) => run.post({ ...keyed, status: 201, body: `${textOf(run, paid)} ` }),
    ],
    [
      "two different requests",
      "key-1",
      (run) => run.post({ ...keyed, amount: "9", status: 202, body: textOf(run, paid) }),
    ],
    ["refused as another request", "key-1", (run) => refuse(run, { sentAt: 1 }, "idempotency_key_reused")],
    ["answered 409 after its final", "key-1", (run) => refuse(run, {}, "idempotency_key_in_use")],
    [
      "answered 202 after its final",
      "key-1",
      (run) => run.post({ ...keyed, status: 202, body: textOf(run, paid) }),
    ],
    [
      "answered 409 after its final",
      "key-1",
      (run) => refuse(run, { amount: "9" }, "idempotency_key_in_use"),
    ],
  ],
  8: [
    [
      "from FAILED to SUCCESS (test) is not in the table",
      reversed,
      (run) => stepTo(run, reversed, "SUCCESS"),
    ],
    ["from SUCCESS to FAILED (test) is not in the table", paid, (run) => stepTo(run, paid, "FAILED")],
    ["does not follow AUTHORIZING", reversed, (run) => forgetStep(run, reversed, 2)],
    ["does not follow null", paid, (run) => forgetStep(run, paid, 1)],
    ["its history ends otherwise", paid, (run) => change(run, paid, { version: 9 })],
    ["its history ends otherwise", paid, (run) => change(run, paid, { state: "CAPTURED" })],
    [
      "was read as FAILED and later as ENROLLED",
      reversed,
      (run) => read(run, reversed, { state: "REVERSING" }),
    ],
    ["was read as SUCCESS and later as FAILED", paid, (run) => read(run, paid, { state: "FAILED" })],
  ],
  20: [
    ["another merchant got 200", paid, (run) => run.get(paid, { status: 200, merchantId: unknown })],
    ["another merchant got 409", paid, (run) => run.post({ ...operation(paid), status: 409 })],
    [
      "GET payment is answered with 2 different 404s",
      paid,
      (run) => run.get(paid, { status: 404, body: problemText("not_yours"), merchantId: unknown }),
    ],
  ],
  23: [
    ["became SUCCESS with 0 events", paid, (run) => run.outbox.shift()],
    ["became SUCCESS with 2 events", paid, (run) => run.outbox.push(...run.outbox.slice(0, 1))],
    [
      "an event SUCCESS too many",
      paid,
      (run) => Object.assign(run.outbox[0] ?? {}, { transactionId: "later" }),
    ],
    [
      "an event AUTHORIZING too many",
      paid,
      (run) => run.outbox.push(eventOf({ ...run.payment(paid), state: "AUTHORIZING" }, "0")),
    ],
    ["tells of something else", paid, (run) => changeEvent(run, textOf(run, reversed))],
    ["tells of something else", paid, (run) => changeEvent(run, textOf(run, paid, { state: "FAILED" }))],
  ],
  25: [
    ["is REVERSING and at the bank yet", paid, (run) => change(run, paid, { state: "REVERSING" })],
    ["is SUCCESS and at the bank yet", paid, (run) => change(run, paid, { operated: true })],
    [
      "is EXECUTING and at the bank yet",
      idOf(201),
      (run) =>
        Object.assign(run.refunds.find(({ refundId }) => refundId === idOf(201)) ?? {}, {
          state: "EXECUTING",
        }),
    ],
    [
      "a lease in webhooks.delivery has ended",
      unknown,
      (run) => run.leases.push({ table: "webhooks.delivery", id: unknown, expired: true }),
    ],
    ["stands in a transaction", "payments", (run) => run.idleTransactions.push("payments")],
  ],
  42: [
    ["1 movements (payment) at the bank, and 0 calls", paid, (run) => forgetCalls(run, paid)],
    ["2 movements (payment)", paid, (run) => run.bank.push(lineOf(run, "approved", paid))],
    ["1 movements (capture)", paid, (run) => run.bank.push(followUp(run, "capture"))],
    ["1 movements (undoing)", paid, (run) => run.bank.push(followUp(run, "cancel"))],
    [
      "call 1 (authorize) was approved as external",
      paid,
      (run) => void (run.bank = run.bank.filter(({ reference }) => reference !== paid)),
    ],
    [
      "which the bank does not have",
      paid,
      (run) =>
        Object.assign(
          run.bank.find(({ reference }) => reference === paid)!,
          { outcome: "declined" },
        ),
    ],
  ],
  45: [
    ["is SUCCESS, and a second success stands", paid, (run) => run.bank.push(again(run, paid))],
    [
      "is FAILED, and a second success stands",
      reversed,
      (run) => run.bank.push(again(run, reversed, { isBelieved: true })),
    ],
    [
      "is SUCCESS, and a second success stands",
      paid,
      (run) => [run.bank.push(again(run, paid, { isBelieved: true })), forgetCalls(run, paid)],
    ],
    [
      "is SUCCESS, and a second success stands",
      paid,
      (run) => run.bank.push(again(run, paid), inPanel(lineOf(run, "approved", paid), "reverse")),
    ],
  ],
  27: [
    [
      "was refused and exists",
      other,
      (run) => [
        addRow(run, other, "bad"),
        run.post({ orderId: "bad", status: 400, body: problemText("validation_failed") }),
      ],
    ],
    [
      "the bank was asked, and there is no row",
      other,
      (run) => run.bank.push(lineOf(run, "declined", other)),
    ],
  ],
};

/** Runs that look like a violation but are not. */
export const ALLOWED_IN_PAYMENTS: [what: string, plant: (run: TestLedgers) => void][] = [
  [
    "another merchant gets the 404 of an unknown payment",
    (run) => run.get(paid, { status: 404, body: problemText("payment_not_found"), merchantId: unknown }),
  ],
  ["another merchant meets an outage", (run) => run.get(paid, { status: 503, merchantId: unknown })],
  [
    "a lease that is alive",
    (run) => run.leases.push({ table: "payments.payment", id: paid, expired: false }),
  ],
  [
    "the key of a payment, used for its capture",
    (run) => run.post({ ...keyed, path: "/capture", status: 409 }),
  ],
  [
    "a GET that was sent before the answer came misses it",
    (run) => run.get(paid, { status: 404, sentAt: 12 }),
  ],
  [
    "a GET that was sent before the 504 came misses it",
    (run) => run.get(reversed, { status: 404, sentAt: 1 }),
  ],
  ["a GET that was sent before sees an earlier state", (run) => readEarlier(run, reversed)],
  ["one record of a lost request", (run) => run.reversed(other) ?? moveTo(run, other, "lost")],
  [
    "one record of a 500",
    (run) => [run.reversed(other), run.post({ orderId: "a", status: 500 }), moveTo(run, other, "a")],
  ],
  [
    "a second success that a person has voided in the bank's panel",
    (run) => run.bank.push(again(run, paid), inPanel(again(run, paid), "reverse")),
  ],
  [
    "a second success of a sale whose answer is believed, which the day's file will show",
    (run) => run.bank.push(again(run, paid, { operation: "sale", isBelieved: true })),
  ],
  ["two settled successes that a person has refunded in the bank's panel", refundBoth],
  ["a replay shows the payment as it first was", (run) => capture(run)],
  ["a 503 after the key's final answer", (run) => run.post({ ...keyed, status: 503 })],
  ["no answer after the key's final answer", (run) => run.post({ ...keyed, error: "ECONNRESET" })],
  ["another merchant's key", (run) => run.post({ ...keyed, orderId: "b", merchantId: unknown, status: 409 })],
];

function refundBoth(run: TestLedgers): void {
  const [first, reversal] = run.bank.filter(({ reference }) => reference === reversed);
  const second = again(run, reversed, { operation: "sale" });
  run.bank = run.bank.filter((line) => line !== reversal);
  Object.assign(first!, { operation: "sale" });
  run.bank.push(second, inPanel(first!, "refund"), inPanel(second, "refund"));
}

function forgetCalls(run: TestLedgers, id: string): void {
  run.bankCalls = run.bankCalls.filter(({ paymentId }) => paymentId !== id);
}

/** A request of another merchant about a payment. */
function operation(paymentId: string) {
  const path = `/api/payment/${paymentId}/capture`;
  return { orderId: "", path, operation: { kind: "capture", paymentId } as const, merchantId: unknown };
}
