// The checker is what everything else is believed on, so it is tested the other way round: each promise is broken in
// every way it can be, in a run that is right otherwise, and the checker has to say what is broken, and where.
import { describe, expect, test } from "vitest";
import { checkInvariants, describeViolation, INVARIANTS } from "./invariants.ts";
import type { BankLine, PaymentRow } from "./ledgers.ts";
import { ALLOWED_IN_CHECKOUTS, PLANTED_IN_CHECKOUTS, type Planted } from "./planted-checkouts.ts";
import { addCheckouts } from "./test-checkouts.ts";
import {
  bankLine,
  eventOf,
  idOf,
  problemText,
  recordText,
  testLedgers,
  type TestLedgers,
} from "./test-ledgers.ts";

/** A keyed payment, one whose answer was lost and which was reversed, and ids that nothing is known of. */
const [paid, reversed, other, unknown] = [idOf(1), idOf(2), idOf(3), idOf(9)];
const keyed = { orderId: "order-01", idempotencyKey: "key-1" };

function rightRun(): TestLedgers {
  const run = testLedgers();
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
  addCheckouts(run);
  return run;
}

test("a run in which everything is right has no violations", () => {
  expect(checkInvariants(rightRun())).toEqual([]);
});

test("an empty run has none either", () => {
  expect(checkInvariants(testLedgers())).toEqual([]);
});

test("a violation is told with its number and its ids, of which a person needs only some", () => {
  const ids = ["a", "b", "c", "d", "e", "f"];
  expect(describeViolation({ invariant: 3, ids, what: "is wrong" })).toBe(
    "invariant 3: is wrong [a, b, c, d and 2 more]",
  );
});

const planted: Record<number, Planted[]> = {
  ...PLANTED_IN_CHECKOUTS,
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
};

describe.each(INVARIANTS)("invariant $number: $promise", ({ number }) => {
  const cases = planted[number] ?? [];
  test.each(cases)("%s", (says, id, plant) => {
    const run = rightRun();
    plant(run);
    const found = checkInvariants(run).filter(({ invariant }) => invariant === number);
    expect(found.filter(({ ids, what }) => ids.includes(id) && what.includes(says))).not.toEqual([]);
  });

  test("has violations planted", () => {
    expect(cases.length).toBeGreaterThan(0);
  });
});

test("a payment released to its whole amount is SUCCESS and holds nothing", () => {
  const run = rightRun();
  run.bank.push(followUp(run, "release"));
  expect(checkInvariants(run)).toEqual([]);
});

test.each(["acquirer_unavailable", "deadline_passed"])("FAILED with %s needs no reversal", (resultCode) => {
  const run = rightRun();
  run.bank.splice(1, 2);
  change(run, reversed, { resultCode });
  expect(checkInvariants(run)).toEqual([]);
});

test.each(["with", "without"])(
  "a payment whose outcome is still unknown may stand %s money at the bank",
  (how) => {
    const run = testLedgers();
    run.reversed(reversed);
    change(run, reversed, { state: "AUTHORIZING", version: 1, scheduled: true, resultCode: null });
    run.paymentHistory = run.paymentHistory.slice(0, 1);
    run.outbox = [];
    forgetReads(run, reversed);
    run.bank = run.bank.slice(0, how === "with" ? 1 : 0);
    expect(checkInvariants(run)).toEqual([]);
  },
);

/** What looks like a violation and is none. */
const allowed: [what: string, plant: (run: TestLedgers) => void][] = [
  [
    "a capture whose outcome is not known yet",
    (run) => [
      run.bank.push(followUp(run, "capture")),
      change(run, paid, { operated: true, scheduled: true }),
    ],
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
  ["a replay shows the payment as it first was", (run) => capture(run)],
  ["a 503 after the key's final answer", (run) => run.post({ ...keyed, status: 503 })],
  ["no answer after the key's final answer", (run) => run.post({ ...keyed, error: "ECONNRESET" })],
  ["another merchant's key", (run) => run.post({ ...keyed, orderId: "b", merchantId: unknown, status: 409 })],
];

test.each([...allowed, ...ALLOWED_IN_CHECKOUTS])("it is no violation: %s", (_what, plant) => {
  const run = rightRun();
  plant(run);
  expect(checkInvariants(run)).toEqual([]);
});

/** While its reversal was under way. */
function readEarlier(run: TestLedgers, id: string): void {
  const body = textOf(run, id, { state: "REVERSING" });
  run.get(id, { status: 200, body, sentAt: 1, answeredAt: 2 });
}

function moveTo(run: TestLedgers, id: string, orderId: string): void {
  run.history = run.history.filter(
    ({ order, path }) => order?.orderId !== run.payment(id).orderId && !path.endsWith(id),
  );
  change(run, id, { orderId });
  run.outbox = run.outbox.map((event) =>
    event.paymentId === id ? { ...event, body: textOf(run, id) } : event,
  );
}

function capture(run: TestLedgers): void {
  const body = textOf(run, paid);
  stepTo(run, paid, "CAPTURED");
  change(run, paid, { capturedMinor: 1_250n });
  run.bank.push(followUp(run, "capture"));
  read(run, paid, {});
  run.post({ ...keyed, status: 201, replayed: true, body });
  read(run, paid, {});
}

function textOf(run: TestLedgers, id: string, differing: Partial<PaymentRow> = {}, amount = "12.50"): string {
  return recordText({ ...run.payment(id), ...differing }, amount);
}

function read(run: TestLedgers, id: string, differing: Partial<PaymentRow>, amount?: string): void {
  run.get(id, { status: 200, body: textOf(run, id, differing, amount) });
}

function forgetReads(run: TestLedgers, id: string): void {
  run.history = run.history.filter(({ path }) => !path.endsWith(id));
}

function readByAnother(run: TestLedgers, id: string): void {
  forgetReads(run, id);
  run.get(id, { status: 200, body: textOf(run, id), merchantId: unknown });
}

function change(run: TestLedgers, id: string, differing: Partial<PaymentRow>): void {
  Object.assign(run.payment(id), differing);
}

function changeEvent(run: TestLedgers, body: string): void {
  Object.assign(run.outbox[0] ?? {}, { body });
}

/** A payment nobody was told of. */
function addRow(run: TestLedgers, paymentId: string, orderId: string): void {
  run.payments.push({ ...run.payment(reversed), paymentId, orderId });
}

function lineOf(run: TestLedgers, outcome: "approved" | "declined", reference: string): BankLine {
  return { ...bankLine(run.payment(paid), "authorize", outcome), reference };
}

function followUp(run: TestLedgers, operation: string): BankLine {
  return { ...bankLine(run.payment(paid), operation, "approved"), reference: `${paid}:1` };
}

function refuse(run: TestLedgers, entry: { amount?: string; sentAt?: number }, code: string): void {
  const status = code === "idempotency_key_reused" ? 422 : 409;
  run.post({ ...keyed, ...entry, status, body: problemText(code) });
}

/** A further step, with the row to match: only the table forbids it. */
function stepTo(run: TestLedgers, paymentId: string, to: string): void {
  const { state: from, version } = run.payment(paymentId);
  run.paymentHistory.push({ paymentId, version: version + 1, from, to, cause: "test", transactionId: "x" });
  change(run, paymentId, { state: to, version: version + 1 });
}

function forgetStep(run: TestLedgers, id: string, version: number): void {
  run.paymentHistory = run.paymentHistory.filter((step) => step.paymentId !== id || step.version !== version);
}
