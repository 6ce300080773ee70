import { randomUUIDv7 } from "node:crypto";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runLogged } from "@holdfast/sandbox/infrastructure";
import { checkInvariants, INVARIANTS, type Ledgers, type Rules, type Violation } from "../checker/index.ts";
import { booksDisagree } from "./books.ts";
import { ClientHistory } from "./client/client-history.ts";
import { MerchantClient } from "./client/merchant-client.ts";
import { disturbsDeliveries, type InflictedFault } from "./faults.ts";
import { createRandom, type Random } from "./random.ts";
import { startPeople } from "./people-at-work.ts";
import { secondSuccessesIn, type SecondSuccess } from "./unexpected-lines.ts";
import { readWork, tooLittleWork } from "./too-little-work.ts";
import { describeRun } from "./report.ts";
import { heal, readEveryCheckout, readEveryPayment, UnsettledError, untilSettled } from "./settle.ts";
import { bankHabits, isKind } from "./system/bank-habits.ts";
import { drawHabits } from "./system/foreign-banks.ts";
import { browsersOf } from "./system/browsers.ts";
import type { Shop } from "./system/onboard-merchant.ts";
import { readLedgers, readRequestedByOperators } from "./system/read-ledgers.ts";
import { banksOf, servicesOf, startSystem, type System } from "./system/system.ts";
import { expiryRules, expiryTimers, loadTimers, manyBanksTimers, unkindBankTimers } from "./system/timers.ts";
import { ordersOf, underFaults, type ChaosOptions } from "./under-faults.ts";
import { holdfast } from "../support/holdfast.ts";

/** One promise of a run, kept or not. */
export type Verdict = { promise: string; violations: Violation[] };
/** `dir` is set if a promise was broken. */
export type ChaosResult = { verdicts: Verdict[]; dir: string };

/**
 * Payments, refunds and webhooks of all kinds under faults of all kinds. Then everything is healed, unknown outcomes
 * settle, operators decide what waits, and the checker reads the ledgers. Safety is judged over the whole run, liveness
 * only after the healing. The directory is kept when a promise was broken.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const random = createRandom(options.seed + 4);
  const banks = options.banks.map((name) => ({ name, habits: drawHabits(random) }));
  for (const { name, habits } of banks) options.log(`${name} has ${JSON.stringify(habits)}`);
  const system = await startSystem({
    banks,
    withSettlement: true,
    withStaff: true,
    timers: {
      ...loadTimers,
      ...(hasExpiry(options) && expiryTimers),
      ...(options.banks.length > 0 && manyBanksTimers),
      ...(!isKind(bankHabits()) && unkindBankTimers),
    },
  });
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

/**
 * True in every other run. After all authorizations have expired, none is left that is still valid at the
 * end.
 */
function hasExpiry({ seed }: ChaosOptions): boolean {
  return seed % 2 === 0;
}

async function runOn(system: System, options: ChaosOptions): Promise<Verdict[]> {
  const { log } = options;
  const history = new ClientHistory(join(system.dir, "history.jsonl"));
  const clients = clientsOf(system, history);
  const { visits, buyers } = browsersOf(system);
  const people = await startPeople(system, options.seed + 3);
  const { faults, ordersEnded } = await underFaults(system, options, {
    actors: { clients, operator: await system.operators.as("dina") },
    buyers,
    people,
  });
  log("faults are over: healing everything");
  await heal(system);
  log("waiting until merchants and buyers have finished");
  await ordersEnded;
  log("waiting until every outcome is settled");
  await people.clearTheDesk();
  const stuck = await unsettled(system, { expired: hasExpiry(options) });
  const seenByStaff = await people.goHome();
  const work = await readWork(system, people.staffRefunds());
  await readEverything(system, clients, history);

  const ledgers = await readLedgers(
    system,
    { history: history.entries, visits: visits.visits },
    { ...excusesBy(faults, system), ...(hasExpiry(options) && expiryRules) },
  );
  writeFileSync(join(system.dir, "received.jsonl"), describeReceived(ledgers));
  log(describeRun(ledgers, faults, failpointHits(system)));
  log(`${work.chargebacks} chargebacks; comparing settlement's totals with the banks' files`);
  return [
    ...INVARIANTS.map((invariant) => ({
      promise: `${invariant.number}. ${invariant.promise}`,
      violations: checkInvariants(ledgers, [invariant]),
    })),
    ...(await afterwards(system, {
      random: createRandom(options.seed + 5),
      again: secondSuccessesIn(ledgers.bank),
      log,
    })),
    { promise: "staff get each refund once, and nothing of another merchant", violations: seenByStaff },
    { promise: "after the healing every outcome settles in time", violations: stuck },
    {
      promise: "the run had enough payments, refunds, webhooks and faults to prove something",
      violations: [
        ...tooLittleWork(work, ordersOf(options)),
        ...(faults.length === 0 ? ["no fault was injected"] : []),
      ].map((what) => ({ invariant: 0, ids: [], what })),
    },
  ];
}

/** Judges the system itself once it is at rest. */
async function afterwards(
  system: System,
  options: { random: Random; again: readonly SecondSuccess[]; log: ChaosOptions["log"] },
): Promise<Verdict[]> {
  return [
    { promise: "`npm run verify-audit` finds no fault", violations: await auditDoubts(system) },
    {
      promise: "settlement's totals equal books and banks' files",
      violations: await booksDisagree(system, options),
    },
    { promise: "no process ends by itself", violations: selfEnded(system) },
  ];
}

function clientsOf({ shops, gateways }: System, history: ClientHistory): [MerchantClient, MerchantClient] {
  const ports = gateways.map(({ process, merchantPort }) => ({ name: process.name, port: merchantPort }));
  const clientOf = ({ merchant }: Shop) =>
    new MerchantClient({ merchant, history, gateways: ports, timeoutMs: CLIENT_TIMEOUT_MS });
  return [clientOf(shops[0]), clientOf(shops[1])];
}

/** Disturbances that excuse late or repeated webhooks. */
function excusesBy(
  faults: InflictedFault[],
  system: System,
): Pick<Rules, "disturbances" | "dispatcherStops"> {
  return {
    disturbances: [...faults.filter(({ fault }) => disturbsDeliveries(fault)), ...unrecordedResults(system)],
    dispatcherStops: faults.filter(
      ({ fault }) => fault.kind === "stop" && fault.process.startsWith("webhooks"),
    ),
  };
}

/**
 * The times at which a dispatcher logged that it could not record results of attempts. On a busy machine a
 * database that comes back may be unreachable for longer than the fault.
 */
function unrecordedResults({ webhooks }: System): { fromMs: number; untilMs: number }[] {
  return webhooks.flatMap(({ process }) =>
    process
      .log()
      .split("\n")
      .filter((line) => line.includes('"operation":"record"'))
      .map((line) => Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? ""))
      .map((at) => ({ fromMs: at - UNRECORDED_MS, untilMs: at })),
  );
}

/** A connection is waited for for a second, and the next try comes half a second later. */
const UNRECORDED_MS = 1_500;

/**
 * Reads every payment, refund and checkout as its merchant, and some as the other merchant, who must learn
 * nothing.
 */
async function readEverything(
  { superuserUrl }: System,
  clients: [MerchantClient, MerchantClient],
  history: ClientHistory,
): Promise<void> {
  const byOperators = await readRequestedByOperators(superuserUrl);
  for (const client of clients) {
    const own = byOperators.filter(({ merchantId }) => merchantId === client.merchantId);
    await readEveryPayment(
      client,
      history.entries,
      own.map(({ refundId }) => refundId),
    );
    for (const { refundId } of byOperators.filter((refund) => !own.includes(refund)))
      await client.get(refundId);
    // The answer about an unknown id has to be the answer about another merchant's.
    await client.get(randomUUIDv7());
    await client.refund({ paymentId: randomUUIDv7(), amount: "1", currency: "TRY" });
  }
  await readEveryCheckout(clients[0], history.entries);
}

function describeReceived({ received }: Ledgers): string {
  return received
    .map(({ body, ...rest }) => `${JSON.stringify({ ...rest, body: body.toString() })}\n`)
    .join("");
}

/** `npm run verify-audit`, which is the product's own way, beside the checker's. */
async function auditDoubts({ superuserUrl, dir }: System): Promise<Violation[]> {
  try {
    await runLogged({
      name: "verify-audit",
      // Every head that a service has logged has to be in its chain.
      command: await holdfast("verify-audit", "--database-url", superuserUrl, "--anchors", join(dir, "logs")),
      env: process.env,
      logFile: join(dir, "logs", "verify-audit.log"),
      timeoutMs: 60_000,
    });
    return [];
  } catch (error) {
    return [{ invariant: 28, ids: [], what: error instanceof Error ? error.message : String(error) }];
  }
}

function selfEnded(system: System): Violation[] {
  return [...servicesOf(system), ...banksOf(system)]
    .filter(({ process }) => process.selfEnded > 0)
    .map(({ process }) => ({
      invariant: 0,
      ids: [process.name],
      what: `ended ${process.selfEnded} times by itself`,
    }));
}

/** Longer than a gateway takes for a 504. */
const CLIENT_TIMEOUT_MS = 6_000;

async function unsettled({ superuserUrl }: System, { expired }: { expired: boolean }): Promise<Violation[]> {
  const withinMs = SETTLE_WITHIN_MS + (expired ? expiryRules.authorizationExpiresAfterMs : 0);
  try {
    await untilSettled(superuserUrl, { withinMs, decided: true, expired });
    return [];
  } catch (error) {
    if (!(error instanceof UnsettledError)) throw error;
    return [{ invariant: 0, ids: [], what: error.message }];
  }
}

/** The time in which unknown outcomes have to settle after the healing. */
const SETTLE_WITHIN_MS = 60_000;

function failpointHits(system: System): number {
  return servicesOf(system).reduce(
    (sum, { process }) => sum + process.log().split("\nfailpoint ").length - 1,
    0,
  );
}
