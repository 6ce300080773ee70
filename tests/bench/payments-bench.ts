import { setTimeout as delay } from "node:timers/promises";
import { settled, WARM_UP_S, witness, type Bench } from "./bench.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import { median } from "./figures.ts";
import type { LoadResult } from "./load.ts";
import { reportPayments } from "./payments-report.ts";
import { startProgram, type Program } from "./programs.ts";
import { asMerchant, runLoad } from "./run-load.ts";

/** A product that is asked for payments, with the processes that its CPU time is spent in. */
export type Target = {
  name: TargetName;
  url: string;
  headers: Record<string, string>;
  /** The receiver's path for its webhooks; undefined if it sends none. */
  webhookPath?: string;
  pids: Record<string, number>;
};
export type TargetName = "holdfast" | "same work" | "no webhooks";
export type PaymentFigures = LoadResult & {
  answered: number;
  perSecond: number;
  cpuMs: Record<string, number>;
};
export type PaymentRounds = Partial<Record<TargetName, PaymentFigures[]>>;

/**
 * Pre-authorizations through all processes, each counted when its webhook has been delivered, beside one bare process
 * that does the same work, and beside the same without webhooks.
 */
export async function benchPayments(bench: Bench): Promise<void> {
  const demo = bench.sandbox.merchants[0]!;
  const secret = await bench.events.turnOn({
    merchantId: demo.merchantId,
    url: bench.receiver.url(HOLDFAST_PATH),
  });
  const bare: Program<{ port: number }>[] = [];
  try {
    bare.push(
      await startBareHandler(bench, { WEBHOOK_URL: bench.receiver.url(BARE_PATH), WEBHOOK_SECRET: secret }),
    );
    bare.push(await startBareHandler(bench, {}));
    const targets = [
      holdfast(bench),
      bareTarget(bench, bare[0]!, { name: "same work", webhookPath: BARE_PATH }),
      bareTarget(bench, bare[1]!, { name: "no webhooks" }),
    ];
    for (const target of targets) await measure(bench, target, { seconds: WARM_UP_S });
    await bench.receiver.forget();
    const before = await approvals(bench);
    const peak = await inTurns(bench, targets, () => 0);
    const gentle = await inTurns(
      bench,
      targets.slice(0, 2),
      ({ name }) => 0.5 * median(peak[name]!.map(({ perSecond }) => perSecond)),
    );
    const approved = (await approvals(bench)) - before;
    reportPayments(bench, peak, gentle);
    await checkWitnesses(bench, [peak, gentle], approved);
  } finally {
    await Promise.all(bare.map((program) => program.stop()));
    await bench.events.turnOff(demo);
  }
}

/** The path of {@link holdfast}'s webhooks. */
export const HOLDFAST_PATH = "/holdfast";
const BARE_PATH = "/bare";

async function inTurns(
  bench: Bench,
  targets: Target[],
  rateOf: (target: Target) => number,
): Promise<PaymentRounds> {
  const figures: PaymentRounds = {};
  for (let round = 0; round < bench.rounds; round++) {
    for (const target of targets) {
      (figures[target.name] ??= []).push(await measure(bench, target, { rate: rateOf(target) }));
    }
  }
  return figures;
}

/**
 * One round: it is over when the last webhook has arrived, and CPU time is counted until nothing is left to be done.
 */
export async function measure(
  bench: Bench,
  { url, headers, webhookPath, pids }: Target,
  { rate = 0, seconds = bench.seconds }: { rate?: number; seconds?: number },
): Promise<PaymentFigures> {
  const { receiver } = bench;
  const delivered = async () => (webhookPath ? ((await receiver.state()).distinct[webhookPath] ?? 0) : 0);
  const before = { cpu: cpuOf(pids), delivered: await delivered() };
  const result = await runLoad({ url, headers, connections: bench.connections, seconds, rate });
  const answered = result.statuses["201"] ?? 0;
  let { endedAtUs } = result;
  if (webhookPath) {
    await receiver.hasReceived(webhookPath, before.delivered + answered, BACKLOG_TIMEOUT_MS);
    endedAtUs = Math.max(endedAtUs, (await receiver.state()).lastAtUs);
    await settled(bench);
  }
  // Lets leftovers of this round (acknowledgements, records, their garbage) end before the next one.
  await delay(PAUSE_MS);
  const cpuMs = Object.fromEntries(
    Object.entries(cpuOf(pids)).map(([name, ms]) => [name, (ms - before.cpu[name]!) / Math.max(1, answered)]),
  );
  return { ...result, answered, perSecond: (answered * 1_000_000) / (endedAtUs - result.startedAtUs), cpuMs };
}

const BACKLOG_TIMEOUT_MS = 30_000;
const PAUSE_MS = 200;

function cpuOf(pids: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, cpuTimeMs(pid, { tree: name === "postgres" })]),
  );
}

/** The product, as the merchant of the sandbox asks it for payments. */
export function holdfast({ sandbox, receiver }: Bench): Target {
  return {
    name: "holdfast",
    ...asMerchant(sandbox, sandbox.merchants[0]!),
    webhookPath: HOLDFAST_PATH,
    pids: { ...sandbox.processes, receiver: receiver.pid },
  };
}

/** A process that does the same durable work; with a webhook's URL and secret it sends webhooks, too. */
export async function startBareHandler(
  { sandbox }: Bench,
  env: Record<string, string>,
): Promise<Program<{ port: number }>> {
  return await startProgram("bare-handler.ts", {
    env: {
      BARE_DATABASE_URL: sandbox.databaseUrl,
      ACQUIRER_URL: sandbox.acquirerUrl,
      WEBHOOK_CA_FILE: sandbox.caFile,
      ...env,
    },
  });
}

export function bareTarget(
  { sandbox, receiver }: Bench,
  { pid, first }: Program<{ port: number }>,
  target: Pick<Target, "name" | "webhookPath">,
): Target {
  return {
    ...target,
    url: `http://127.0.0.1:${first.port}/api/pre-authorization`,
    headers: {},
    pids: {
      "bare handler": pid,
      postgres: sandbox.processes["postgres"]!,
      "acquirer-simulator": sandbox.processes["acquirer-simulator"]!,
      ...(target.webhookPath && { receiver: receiver.pid }),
    },
  };
}

/** Reservations that the acquirer has approved so far, by its own ledger. */
async function approvals({ sandbox }: Bench): Promise<number> {
  const text = await (await fetch(`${sandbox.acquirerUrl}/ledger`)).text();
  return text
    .split("\n")
    .filter((line) => line.includes('"operation":"authorize"') && line.includes('"approved"')).length;
}

/** The acquirer approved each answered payment, and each one with a webhook has exactly one event at the receiver. */
async function checkWitnesses({ receiver }: Bench, parts: PaymentRounds[], approved: number): Promise<void> {
  const rounds = (name: TargetName) => parts.flatMap((part) => part[name] ?? []);
  const answered = (name: TargetName) => rounds(name).reduce((sum, round) => sum + round.answered, 0);
  const all = answered("holdfast") + answered("same work") + answered("no webhooks");
  const refused = parts
    .flatMap((part) => Object.values(part).flat())
    .some(({ statuses }) => Object.keys(statuses).some((status) => status !== "201"));
  const { distinct, requests } = await receiver.state();
  const delivered = distinct[HOLDFAST_PATH] ?? 0;
  const deliveredBare = distinct[BARE_PATH] ?? 0;
  witness(
    !refused &&
      approved === all &&
      delivered === answered("holdfast") &&
      deliveredBare === answered("same work"),
    `${all} payments answered, ${approved} approved in the acquirer's ledger; holdfast ${answered("holdfast")} answered, ` +
      `${delivered} event ids at the receiver; same work ${answered("same work")} and ${deliveredBare}; ` +
      `${requests - delivered - deliveredBare} copies${refused ? "; some payments were refused" : ""}`,
  );
}
