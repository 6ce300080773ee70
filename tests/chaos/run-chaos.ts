import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { planCheckouts, runCheckouts } from "./checkout-workload.ts";
import { checkInvariants, INVARIANTS } from "../checker/invariants.ts";
import type { Violation } from "../checker/ledgers.ts";
import { ClientHistory } from "./client/client-history.ts";
import { MerchantClient } from "./client/merchant-client.ts";
import { planNemesis, runNemesis } from "./nemesis.ts";
import { createRandom } from "./random.ts";
import { describeRun } from "./report.ts";
import { heal, readEveryCheckout, readEveryPayment, UnsettledError, untilSettled } from "./settle.ts";
import { browsersOf } from "./system/browsers.ts";
import { readLedgers } from "./system/read-ledgers.ts";
import { servicesOf, startSystem, type System } from "./system/system.ts";
import { loadTimers } from "./system/timers.ts";
import { planWorkload, runWorkload } from "./workload.ts";

export type ChaosOptions = { seed: number; payments: number; seconds: number; log: (line: string) => void };

/** One promise of a run, kept or not. */
export type Verdict = { promise: string; violations: Violation[] };
/** `dir` is there where a promise was broken. */
export type ChaosResult = { verdicts: Verdict[]; dir: string };

/**
 * Payments of all kinds under faults of all kinds; then everything is healed, what is unknown settles, and the checker
 * reads the ledgers. Safety is judged over the whole run, liveness only after the healing. The directory is kept when a
 * promise was broken.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const system = await startSystem({ timers: loadTimers });
  const dir = join(tmpdir(), `holdfast-chaos-${options.seed}-${Date.now()}`);
  let isKept = true;
  try {
    const verdicts = await runOn(system, options);
    isKept = verdicts.some(({ violations }) => violations.length > 0);
    return { verdicts, dir };
  } finally {
    await system.stop(isKept ? { keepAs: dir } : {});
  }
}

async function runOn(system: System, { seed, payments, seconds, log }: ChaosOptions): Promise<Verdict[]> {
  // One stream of numbers each: more payments do not change the faults.
  const checkouts = Math.round(payments * CHECKOUT_SHARE);
  const workload = planWorkload(createRandom(seed), { payments: payments - checkouts, seconds });
  const pages = planCheckouts(createRandom(seed + 2), { checkouts, seconds });
  const nemesis = planNemesis(createRandom(seed + 1), { seconds });
  writeFileSync(
    join(system.dir, "schedule.json"),
    JSON.stringify({ seed, workload, pages, nemesis }, undefined, 1),
  );
  const history = new ClientHistory(join(system.dir, "history.jsonl"));
  const client = new MerchantClient({
    merchant: system.merchant,
    history,
    gateways: system.gateways.map(({ process, merchantPort }) => ({
      name: process.name,
      port: merchantPort,
    })),
    timeoutMs: CLIENT_TIMEOUT_MS,
  });

  const { visits, buyers } = browsersOf(system);

  log(`${workload.length} payments, ${checkouts} checkouts and ${nemesis.length} faults within ${seconds} s`);
  const merchants = Promise.all([runWorkload(client, workload), runCheckouts(client, buyers, pages)]);
  const faults = await runNemesis(system, nemesis);
  log("healing");
  await heal(system);
  log("waiting for merchants and buyers");
  await merchants;
  log("settling");
  const stuck = await unsettled(system);
  await readEveryPayment(client, history.entries);
  await readEveryCheckout(client, history.entries);

  const ledgers = await readLedgers({ ...system, history: history.entries, visits: visits.visits });
  log(describeRun(ledgers, faults, failpointHits(system)));
  const violations = checkInvariants(ledgers);
  const paid = ledgers.checkouts.filter(({ state }) => state === "COMPLETED").length;
  const few = [
    ...(ledgers.payments.length < payments / 2 ? ["hardly any payment was made"] : []),
    ...(paid < checkouts / 8 ? [`of ${checkouts} checkouts ${paid} were paid`] : []),
  ].map((what) => ({ invariant: 0, ids: [], what }));
  return [
    ...INVARIANTS.map(({ number, promise }) => ({
      promise: `${number}. ${promise}`,
      violations: violations.filter(({ invariant }) => invariant === number),
    })),
    { promise: "no process ends by itself", violations: selfEnded(system) },
    { promise: "every outcome is found out once everything is healed", violations: stuck },
    { promise: "payments were made in spite of the faults", violations: few },
  ];
}

function selfEnded(system: System): Violation[] {
  return [...servicesOf(system), system.acquirer]
    .filter(({ process }) => process.selfEnded > 0)
    .map(({ process }) => ({
      invariant: 0,
      ids: [process.name],
      what: `ended ${process.selfEnded} times by itself`,
    }));
}

/** Of the orders, those that are paid on our page. */
const CHECKOUT_SHARE = 0.2;

/** Longer than a gateway takes for a 504. */
const CLIENT_TIMEOUT_MS = 6_000;

async function unsettled({ superuserUrl }: System): Promise<Violation[]> {
  try {
    await untilSettled(superuserUrl, { withinMs: SETTLE_WITHIN_MS });
    return [];
  } catch (error) {
    if (!(error instanceof UnsettledError)) throw error;
    return [{ invariant: 0, ids: [], what: error.message }];
  }
}

/** The bound of reliability.md, section 1. */
const SETTLE_WITHIN_MS = 60_000;

function failpointHits({ payments }: System): number {
  return payments.reduce((sum, { process }) => sum + process.log().split("\nfailpoint ").length - 1, 0);
}
