import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { planCheckouts, runCheckouts, type PlannedCheckout } from "./checkout-workload.ts";
import type { BuyerDeps } from "./client/buyer.ts";
import type { InflictedFault, PlannedFault } from "./faults.ts";
import { runNemesis } from "./nemesis.ts";
import type { PeopleAtWork } from "./people-at-work.ts";
import { planNemesis } from "./plan-nemesis.ts";
import { createRandom } from "./random.ts";
import type { ForeignBankName } from "./system/foreign-banks.ts";
import type { System } from "./system/system.ts";
import { readWork, tooLittleWork } from "./too-little-work.ts";
import { planWorkload, runWorkload, type Actors, type PlannedPayment } from "./workload.ts";

export type ChaosOptions = {
  seed: number;
  payments: number;
  seconds: number;
  /** The banks besides the acquirer of every run. */
  banks: readonly ForeignBankName[];
  log: (line: string) => void;
};

type AtWork = { actors: Actors; buyers: BuyerDeps; people: PeopleAtWork };

/**
 * Places orders under faults until they have had enough effect: on a busy machine processes take long to come back, and
 * little of the plan is done. Then the next part of the plan begins.
 */
export async function underFaults(
  system: System,
  options: ChaosOptions,
  { actors, buyers, people }: AtWork,
): Promise<{ faults: InflictedFault[]; ordersEnded: Promise<unknown> }> {
  const parts: Part[] = [];
  const faults: InflictedFault[] = [];
  const orders: Promise<unknown>[] = [];
  let missing: string[];
  do {
    const part = planPart(options, parts.length);
    parts.push(part);
    writeFileSync(
      join(system.dir, "schedule.json"),
      JSON.stringify({ seed: options.seed, parts }, undefined, 1),
    );
    const { workload, pages, nemesis } = part;
    options.log(
      `${workload.length} payments, ${pages.length} checkouts and ${nemesis.length} faults within ${options.seconds} s`,
    );
    const over = new AbortController();
    orders.push(runWorkload(actors, workload, over.signal), runCheckouts(actors, buyers, pages, over.signal));
    faults.push(...(await runNemesis(system, nemesis)));
    over.abort();
    missing = tooLittleWork(await readWork(system, people.staffRefunds()), ordersOf(options));
    if (missing.length > 0) options.log(`too little to prove something: ${missing.join(", ")}`);
  } while (missing.length > 0 && parts.length < PARTS_MAX);
  return { faults, ordersEnded: Promise.all(orders) };
}

/** A machine on which so many parts are not enough is too slow for this test. */
const PARTS_MAX = 5;

type Part = { workload: PlannedPayment[]; pages: PlannedCheckout[]; nemesis: PlannedFault[] };

/** @param index of the part; the orders of each have their own numbers. */
function planPart(options: ChaosOptions, index: number): Part {
  const { seconds, banks } = options;
  const { payments, checkouts } = ordersOf(options);
  // Each plan has random numbers of its own, so that more payments do not change the faults.
  const seed = options.seed + index * SEEDS_OF_PART;
  const cards = banks.length > 0 ? withoutFalseInquiries : asTheyAre;
  const cardPayments = payments - checkouts;
  return {
    workload: planWorkload(createRandom(seed), {
      payments: cardPayments,
      seconds,
      first: index * cardPayments,
    }).map(cards),
    pages: planCheckouts(createRandom(seed + 2), { checkouts, seconds, first: index * checkouts }).map(cards),
    nemesis: planNemesis(createRandom(seed + 1), { seconds, banks }),
  };
}

/** More than the streams of numbers that a run has. */
const SEEDS_OF_PART = 100;

/** The number of orders of each part; `payments` is their sum. */
export function ordersOf({ payments }: ChaosOptions): { payments: number; checkouts: number } {
  return { payments, checkouts: Math.round(payments * CHECKOUT_SHARE) };
}

/** A bank that always shows another amount leaves a case for people: nothing else can end it. */
function withoutFalseInquiries<Plan>(plan: Plan): Plan {
  return JSON.parse(JSON.stringify(plan).replaceAll('"other_amount"', '"approve_visa"')) as Plan;
}

function asTheyAre<Plan>(plan: Plan): Plan {
  return plan;
}

/** The share of orders that are paid on our page. */
const CHECKOUT_SHARE = 0.2;
