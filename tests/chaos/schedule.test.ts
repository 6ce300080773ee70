import { expect, test } from "vitest";
import { planCheckouts } from "./checkout-workload.ts";
import { minorUnits } from "../checker/amount.ts";
import { PROCESSES, subjectOf, type Fault, type PlannedFault } from "./faults.ts";
import { traitsOf } from "../support/bank-faults.ts";
import { planNemesis } from "./plan-nemesis.ts";
import { createRandom } from "./random.ts";
import { drawHabits, FOREIGN_BANKS } from "./system/foreign-banks.ts";
import { planWorkload } from "./workload.ts";

const seeds = Array.from({ length: 50 }, (_, index) => index * 7_919);
const workloadOf = (seed: number) => planWorkload(createRandom(seed), { payments: 500, seconds: 75 });
const checkoutsOf = (seed: number) => planCheckouts(createRandom(seed), { checkouts: 100, seconds: 75 });
const nemesisOf = (seed: number) => planNemesis(createRandom(seed), { seconds: 75 });
const nemesisOfBanks = (seed: number) =>
  planNemesis(createRandom(seed), { seconds: 75, banks: FOREIGN_BANKS });

test("a seed gives the same schedule again, another seed another one", () => {
  expect(workloadOf(42)).toEqual(workloadOf(42));
  expect(nemesisOf(42)).toEqual(nemesisOf(42));
  expect(workloadOf(42)).not.toEqual(workloadOf(43));
  expect(nemesisOf(42)).not.toEqual(nemesisOf(43));
});

test("what comes after the first part of a schedule are other orders", () => {
  const workload = planWorkload(createRandom(42), { payments: 500, seconds: 75, first: 500 });
  const orderIds = [...workloadOf(42), ...workload].map(({ order }) => order.orderId);
  expect(new Set(orderIds).size).toBe(1_000);
  const checkouts = planCheckouts(createRandom(42), { checkouts: 100, seconds: 75, first: 100 });
  const checkoutIds = [...checkoutsOf(42), ...checkouts].map(({ checkout }) => checkout.orderId);
  expect(new Set(checkoutIds).size).toBe(200);
});

test("every order is of its own, and its amount is one that its currency has", () => {
  for (const plan of seeds.slice(0, 10).map(workloadOf)) {
    expect(new Set(plan.map(({ order }) => order.orderId)).size).toBe(500);
    const taken = plan.filter(({ isRefused }) => !isRefused);
    expect(taken.filter(({ order }) => !minorUnits(order.amount, order.currency))).toEqual([]);
    const refunds = taken.flatMap(({ order, refunds }) =>
      (refunds?.refunds ?? []).map(({ amount }) => minorUnits(amount, order.currency)),
    );
    expect(refunds.filter((amount) => !amount)).toEqual([]);
  }
});

test("neither an amount nor its half is one whose refund the bank declines: nothing could give back such a sale once it is settled", () => {
  const orders = seeds.slice(0, 10).flatMap((seed) => [
    ...workloadOf(seed)
      .filter(({ isRefused }) => !isRefused)
      .map(({ order }) => order),
    ...checkoutsOf(seed).map(({ checkout }) => checkout),
  ]);
  const declined = orders.filter(({ amount, currency }) => {
    const minor = minorUnits(amount, currency) ?? 0n;
    return minor % 100n === 91n || (minor / 2n) % 100n === 91n;
  });
  expect(declined).toEqual([]);
});

test("the workload has keys, crowds under one key, other bodies under it, and repetitions", () => {
  const plan = workloadOf(1);
  for (const is of [
    plan.filter(({ key }) => key === undefined),
    plan.filter(({ copies }) => copies > 9),
    plan.filter(({ otherCopies }) => otherCopies > 0),
    plan.filter(({ repeatAfterMs }) => repeatAfterMs !== undefined),
    plan.filter(({ order }) => order.cardholder === "right" && order.card === "challenged"),
    plan.filter(({ order }) => order.cardholder === "never" && order.card === "challenged"),
    plan.filter(({ order }) => order.sale),
    plan.filter(({ isRefused }) => isRefused),
    plan.filter(({ isSpiedOn }) => isSpiedOn),
    plan.filter(({ refunds }) => refunds?.atOnce),
    plan.filter(({ refunds }) => refunds?.refunds.length === 6),
    plan.filter(({ refunds, isHasty, operation }) => refunds && isHasty && operation),
    plan.flatMap(({ refunds }) => refunds?.refunds ?? []).filter(({ byOperator }) => byOperator),
  ]) {
    expect(is.length).toBeGreaterThan(8);
  }
});

test("the checkouts are drawn from the seed, too, and have every kind of buyer", () => {
  expect(checkoutsOf(42)).toEqual(checkoutsOf(42));
  expect(checkoutsOf(42)).not.toEqual(checkoutsOf(43));
  const plan = checkoutsOf(1);
  const tries = plan.flatMap(({ buyer }) => buyer?.tries ?? []);
  const challenged = tries.filter(({ card }) => card === "challenged");
  for (const is of [
    plan.filter(({ key }) => key === undefined),
    plan.filter(({ buyer }) => buyer === undefined),
    plan.filter(({ buyer }) => (buyer?.tabs ?? 0) > 1),
    plan.filter(({ buyer }) => (buyer?.copies ?? 0) > 0),
    plan.filter(({ buyer }) => (buyer?.tries.length ?? 0) > 1),
    plan.filter(({ buyer }) => (buyer?.hesitatesMs ?? 0) > 10_000),
    plan.filter(({ buyer }) => buyer?.goesBack),
    plan.filter(({ checkout }) => checkout.transactionType === "PRE_AUTHORIZATION"),
    plan.filter(({ checkout }) => checkout.expiresInSeconds !== undefined),
    ...["right", "wrong", "cancel", "never"].map((answer) =>
      challenged.filter(({ cardholder }) => cardholder === answer),
    ),
  ]) {
    expect(is.length).toBeGreaterThan(1);
  }
  for (const { checkout } of seeds.flatMap(checkoutsOf))
    expect(minorUnits(checkout.amount, checkout.currency)).toBeDefined();
});

test("faults of one process or server follow each other, and all have ended at the end", () => {
  for (const plan of seeds.map(nemesisOf)) {
    expect(plan.length).toBeGreaterThan(15);
    for (const ofOne of Map.groupBy(plan, ({ fault }) => subjectOf(fault)).values()) {
      const isEarly = ofOne.filter(({ atMs }, index) => index > 0 && atMs < endOf(ofOne[index - 1]));
      expect(isEarly).toEqual([]);
    }
    expect(plan.filter((planned) => endOf(planned) > 75_000)).toEqual([]);
  }
});

test("over some seeds every kind of fault is drawn, and faults overlap", () => {
  const all = seeds.flatMap(nemesisOf);
  const kinds = new Set(all.map(({ fault }) => fault.kind));
  expect([...kinds].toSorted()).toEqual([
    "bank",
    "bank_link",
    "business_day",
    "failpoint",
    "freeze",
    "kill",
    "link",
    "loss",
    "outage",
    "receiver",
    "stop",
    "terminate",
    "unkindness",
  ]);
  const bent = all.flatMap(({ fault }) => (fault.kind === "bank" ? [fault] : []));
  for (const operation of ["capture", "cancel", "refund", "release", "authorize", "sale", "complete"])
    expect(bent.some((fault) => fault.operation === operation && fault.behaviour === "expire")).toBe(true);
  for (const behaviour of ["partial", "control_characters", "refuse"])
    expect(bent.filter((fault) => fault.behaviour === behaviour).length).toBeGreaterThan(8);
  expect(bent.some(isPartialCapture)).toBe(true);
  const overlapping = nemesisOf(1).filter(
    (one, index, plan) => index > 0 && one.atMs < endOf(plan[index - 1]),
  );
  expect(overlapping.length).toBeGreaterThan(5);
});

test("each bank beside the first fails in ways of its own, and those of one bank follow each other", () => {
  const all = seeds.flatMap(nemesisOfBanks);
  for (const bank of FOREIGN_BANKS) {
    const own = all.filter(({ fault }) => Object.values(fault).includes(bank));
    expect([...new Set(own.map(({ fault }) => fault.kind))].toSorted()).toEqual([
      "bank",
      "bank_link",
      "business_day",
      "freeze",
      "outage",
      "unkindness",
    ]);
    const modes = own.flatMap(({ fault }) => (fault.kind === "unkindness" ? Object.keys(fault.modes) : []));
    expect(new Set(modes)).toEqual(
      new Set([
        "duplicateWindowSeconds",
        "historyLagSeconds",
        ...Object.keys(traitsOf(bank).harmlessMode ?? {}),
      ]),
    );
    const behaviours = new Set(own.map(({ fault }) => fault.kind === "bank" && fault.behaviour));
    for (const behaviour of [
      "hang_before",
      "late_effect",
      "reset",
      "garbage",
      "interim",
      "long_head",
      ...(traitsOf(bank).voidsInPanel ? ["twice"] : []),
    ])
      expect(behaviours).toContain(behaviour);
    expect(own.some(({ fault }) => isPartialCapture(fault))).toBe(true);
  }
  for (const plan of seeds.map(nemesisOfBanks)) {
    for (const ofOne of Map.groupBy(plan, ({ fault }) => subjectOf(fault)).values()) {
      const isEarly = ofOne.filter(({ atMs }, index) => index > 0 && atMs < endOf(ofOne[index - 1]));
      expect(isEarly).toEqual([]);
    }
  }
});

test("the clocks, zones and files of the banks differ from seed to seed", () => {
  const drawn = seeds.map((seed) => drawHabits(createRandom(seed)));
  expect(new Set(drawn.map(({ clockOffsetSeconds }) => clockOffsetSeconds)).size).toBeGreaterThan(4);
  expect(new Set(drawn.map(({ zone }) => zone)).size).toBeGreaterThan(2);
  expect(new Set(drawn.map(({ cells }) => cells)).size).toBe(2);
  expect(new Set(drawn.map(({ payouts }) => payouts)).size).toBe(2);
  expect(new Set(drawn.map(({ repeatsLines }) => repeatsLines)).size).toBe(2);
});

function isPartialCapture(fault: Fault): boolean {
  return fault.kind === "bank" && fault.operation === "capture" && fault.behaviour === "partial";
}

function endOf(planned: PlannedFault | undefined): number {
  return planned ? planned.atMs + planned.durationMs : 0;
}

test("thirty minutes have three hundred faults, of every process and at every point", () => {
  const plan = planNemesis(createRandom(1), { seconds: 1_800 });
  expect(plan.length).toBeGreaterThan(300);
  const faults = plan.map(({ fault }) => fault);
  const processes = faults.flatMap((fault) => ("process" in fault ? [fault.process] : []));
  expect([...new Set(processes)].toSorted()).toEqual([...PROCESSES].toSorted());
  const settings = faults.flatMap((fault) => (fault.kind === "failpoint" ? [fault.setting] : []));
  for (const service of ["payments", "refunds", "webhooks"])
    expect(settings.filter((setting) => setting.startsWith(service)).length).toBeGreaterThan(10);
});
