// Tests of the checker, on which all other results rest. They are made the other way round: each promise is broken in
// every way it can be, in a run that is right otherwise, and the checker has to name the violation and its place.
import { describe, expect, test } from "vitest";
import { checkInvariants, describeViolation, INVARIANTS } from "./invariants.ts";
import type { Subject } from "./ledgers.ts";
import { change, followUp, forgetReads, paid, reversed } from "./test/change-payments.ts";
import type { Planted } from "./test/planted.ts";
import { ALLOWED_IN_CHECKOUTS, PLANTED_IN_CHECKOUTS } from "./test/planted-checkouts.ts";
import { ALLOWED_IN_OPERATIONS, declineCancel, PLANTED_IN_OPERATIONS } from "./test/planted-operations.ts";
import { addPayments, ALLOWED_IN_PAYMENTS, PLANTED_IN_PAYMENTS } from "./test/planted-payments.ts";
import { ALLOWED_IN_REFUNDS, PLANTED_IN_REFUNDS } from "./test/planted-refunds.ts";
import { ALLOWED_IN_WEBHOOKS, PLANTED_IN_WEBHOOKS } from "./test/planted-webhooks.ts";
import { addCheckouts } from "./test/test-checkouts.ts";
import { callsOf, testLedgers, type TestLedgers } from "./test/test-ledgers.ts";
import { addRefunds } from "./test/test-refunds.ts";
import { deliverEverything } from "./test/test-webhooks.ts";

/** Everything that can happen, without its webhooks. */
function rightRun(): TestLedgers {
  const run = testLedgers();
  addPayments(run);
  addCheckouts(run);
  addRefunds(run);
  return run;
}

function deliveredRun(): TestLedgers {
  const run = rightRun();
  deliverEverything(run);
  run.bankCalls = callsOf(run.bank);
  return run;
}

/** Checks a run whose bank did only what it was called for. */
function checkCalled(run: TestLedgers, invariants = INVARIANTS) {
  run.bankCalls = callsOf(run.bank);
  return checkInvariants(run, invariants);
}

test("a run in which everything is right has no violations", () => {
  expect(checkInvariants(deliveredRun())).toEqual([]);
});

test("nor has one in which a payment was declined elsewhere before it was paid", () => {
  const run = deliveredRun();
  const declined = { ...followUp(run, "authorize"), outcome: "declined" as const, accountId: "account-1" };
  run.bank.unshift(declined);
  run.bankCalls = callsOf(run.bank);
  expect(checkInvariants(run)).toEqual([]);
});

test("an empty run has none either", () => {
  expect(checkInvariants(testLedgers())).toEqual([]);
});

test("a violation is described by its number and its ids, of which a person needs only some", () => {
  const ids = ["a", "b", "c", "d", "e", "f"];
  expect(describeViolation({ invariant: 3, ids, what: "is wrong" })).toBe(
    "invariant 3: is wrong [a, b, c, d and 2 more]",
  );
});

const planted: Record<Subject, Record<number, Planted[]>> = {
  payments: together(PLANTED_IN_PAYMENTS, PLANTED_IN_OPERATIONS),
  checkouts: PLANTED_IN_CHECKOUTS,
  refunds: PLANTED_IN_REFUNDS,
  webhooks: PLANTED_IN_WEBHOOKS,
};

function together(...all: Record<number, Planted[]>[]): Record<number, Planted[]> {
  const entries = all.flatMap((byNumber) => Object.entries(byNumber));
  const numbers = Map.groupBy(entries, ([number]) => number);
  return Object.fromEntries(
    [...numbers].map(([number, those]) => [number, those.flatMap(([, planted]) => planted)]),
  );
}

describe.each(INVARIANTS)("invariant $number of $subject: $promise", (invariant) => {
  const cases = planted[invariant.subject][invariant.number] ?? [];
  test.each(cases)("%s", (says, id, plant) => {
    const run = deliveredRun();
    plant(run);
    const found = checkInvariants(run, [invariant]);
    expect(
      found.filter(({ ids, what }) => ids.includes(id) && what.includes(says)),
      JSON.stringify(found),
    ).not.toEqual([]);
  });

  test("has violations planted", () => {
    expect(cases.length).toBeGreaterThan(0);
  });
});

test("everything that is planted is planted for a promise", () => {
  const promised = INVARIANTS.map(({ subject, number }) => `${subject} ${number}`);
  const all = Object.entries(planted).flatMap(([subject, byNumber]) =>
    Object.keys(byNumber).map((number) => `${subject} ${number}`),
  );
  expect(all.toSorted()).toEqual(promised.toSorted());
});

/** Invariants that also hold before everything has come to rest, and without the refunds that go with a release. */
const midRun = INVARIANTS.filter(({ number }) => ![12, 25, 29, 38, 44].includes(number));

test("a payment released to its whole amount is SUCCESS and holds nothing", () => {
  const run = deliveredRun();
  run.bank.push(followUp(run, "release"));
  expect(checkCalled(run, midRun)).toEqual([]);
});

test.each(["acquirer_unavailable", "deadline_passed"])("FAILED with %s needs no reversal", (resultCode) => {
  const run = deliveredRun();
  run.bank.splice(1, 2);
  change(run, reversed, { resultCode });
  expect(checkCalled(run)).toEqual([]);
});

test.each([
  ["again", ["unknown", "declined"], []],
  ["once", ["declined"], [35, 36]],
])("a cancellation that the bank refuses %s, and does not write down", (_, outcomes, broken) => {
  const run = deliveredRun();
  declineCancel(run);
  const [sent] = callsOf([followUp(run, "cancel")]);
  run.bankCalls.push(...outcomes.map((outcome) => ({ ...sent!, outcome, name: null })));
  expect(checkInvariants(run).map(({ invariant }) => invariant)).toEqual(broken);
});

test("a capture may be under way, its outcome unknown", () => {
  const run = deliveredRun();
  run.bank.push(followUp(run, "capture"));
  change(run, paid, { operated: true, scheduled: true });
  expect(checkCalled(run, midRun)).toEqual([]);
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
    expect(checkCalled(run, midRun)).toEqual([]);
  },
);

const allowed = [
  ...ALLOWED_IN_PAYMENTS,
  ...ALLOWED_IN_OPERATIONS,
  ...ALLOWED_IN_CHECKOUTS,
  ...ALLOWED_IN_REFUNDS,
];

test.each(allowed)("it is no violation: %s", (_what, plant) => {
  const run = rightRun();
  plant(run);
  deliverEverything(run);
  expect(checkCalled(run)).toEqual([]);
});

test.each(ALLOWED_IN_WEBHOOKS)("it is no violation: %s", (_what, plant) => {
  const run = deliveredRun();
  plant(run);
  expect(checkCalled(run)).toEqual([]);
});
