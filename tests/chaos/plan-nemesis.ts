import { FAILPOINTS } from "@holdfast/service-runtime";
import { PROCESSES, RECEIVER_MOODS, subjectOf, type Fault, type PlannedFault } from "./faults.ts";
import type { Random } from "./random.ts";
import { planForeignBankFault, planUnkindness } from "./plan-bank-faults.ts";
import type { ForeignBankName } from "./system/foreign-banks.ts";
import type { LinkFault } from "./system/tcp-proxy.ts";

/** Everything that will go wrong, generated from the seed alone: several lanes of faults beside each other. */
export function planNemesis(
  random: Random,
  { seconds, banks = [] }: { seconds: number; banks?: readonly ForeignBankName[] },
): PlannedFault[] {
  const endMs = seconds * 1_000;
  const lanes = [...LANES, ...banks.map(laneOfBank)];
  const plan = lanes.flatMap((lane) => planLane(random, lane, endMs));
  const accepted: PlannedFault[] = [];
  for (const planned of plan.toSorted((a, b) => a.atMs - b.atMs)) {
    const isBusy = accepted.some(
      (other) =>
        subjectOf(other.fault) === subjectOf(planned.fault) &&
        other.atMs + other.durationMs + GAP_MS > planned.atMs,
    );
    if (!isBusy) accepted.push(planned);
  }
  return accepted;
}

/** A process that was started again has to live for a while before it can die again. */
const GAP_MS = 1_500;

/** One kind of fault after another, with pauses between their beginnings. */
type Lane = { pauseMs: [from: number, to: number]; draw: (random: Random) => Fault };

/** Everybody needs PostgreSQL and NATS: with both down too often there would be nothing to break. */
const LANES: readonly Lane[] = [
  { pauseMs: [1_500, 5_000], draw: planProcessFault },
  { pauseMs: [2_000, 7_000], draw: planLink },
  { pauseMs: [10_000, 25_000], draw: planServerFault },
  { pauseMs: [4_000, 12_000], draw: planBankFault },
  { pauseMs: [3_000, 9_000], draw: planReceiverFault },
];

function planLane(random: Random, { pauseMs: [from, to], draw }: Lane, endMs: number): PlannedFault[] {
  const plan: PlannedFault[] = [];
  const first = 1_000 + random.integer(0, from);
  for (let atMs = first; atMs < endMs - SHORTEST_MS; atMs += random.integer(from, to)) {
    const fault = draw(random);
    plan.push({ atMs, durationMs: Math.min(durationOf(random, fault), endMs - atMs), fault });
  }
  return plan;
}

const SHORTEST_MS = 1_000;

function planProcessFault(random: Random): Fault {
  const process = random.pick(PROCESSES);
  const kind = random.weighted({ kill: 3, terminate: 2, stop: 3, failpoint: 5 });
  if (kind !== "failpoint") return { kind, process };
  const points = FAILPOINTS.filter((point) => process.startsWith(point.split(".")[0]!));
  // Gateways and settlement have no failpoints.
  if (points.length === 0) return { kind: "kill", process };
  const action = random.pick(["kill", "kill", "stop", "delay(3s)"]);
  const point = random.pick(points as [string, ...string[]]);
  return { kind, process, setting: `${point}:${action}@${random.integer(1, 2)}` };
}

function planLink(random: Random): Fault {
  const process = random.pick(PROCESSES);
  if (process.startsWith("payments") && random.chance(BANK_LINK_SHARE))
    return { kind: "bank_link", bank: "acquirer", fault: planLinkFault(random) };
  return { kind: "link", process, link: random.pick(["bus", "database"]), fault: planLinkFault(random) };
}

/** A bank's link fails as often as the link to one of a process's three servers. */
const BANK_LINK_SHARE = 1 / 3;

/** Faults of one bank at a time: routes lead elsewhere, and requests already sent there stay there. */
function laneOfBank(bank: ForeignBankName): Lane {
  return {
    pauseMs: [4_000, 12_000],
    draw: (random) => planForeignBankFault(random, bank, planLinkFault(random)),
  };
}

function planLinkFault(random: Random): LinkFault {
  const kind = random.pick(["delay", "blackhole", "half_open", "reset", "refuse"]);
  return kind === "delay" ? { kind, ms: random.integer(50, 1_000) } : { kind };
}

function planServerFault(random: Random): Fault {
  const kind = random.weighted({ outage: 4, loss: 1, freeze: 3 });
  if (kind === "freeze") return { kind, server: "acquirer" };
  if (kind === "loss") return { kind, server: "nats" };
  return { kind, server: random.pick(["postgres", "nats", "acquirer"]) };
}

/**
 * Plans a fault of the bank. Its worst faults are rare, since most calls have to succeed for something to
 * break.
 */
function planBankFault(random: Random): Fault {
  const bank = "acquirer";
  if (random.chance(BUSINESS_DAY_SHARE)) return { kind: "business_day", bank };
  if (random.chance(UNKINDNESS_SHARE)) return planUnkindness(random, bank);
  const operation = random.weighted(BANK_OPERATIONS);
  if (operation === "reverse" && random.chance(0.5))
    return { kind: "bank", bank, operation, behaviour: "refuse", times: 10 };
  const isUnkind = random.chance(UNKIND_SHARE);
  const behaviour = random.pick(isUnkind ? unkindBehaviours(operation) : usualBehaviours(operation));
  return { kind: "bank", bank, operation, behaviour, times: random.integer(1, isUnkind ? 4 : 10) };
}

const BANK_OPERATIONS = {
  authorize: 3,
  sale: 3,
  reverse: 2,
  inquire: 1,
  capture: 2,
  cancel: 1,
  refund: 2,
  release: 2,
  enrol: 1,
  complete: 2,
};
const BUSINESS_DAY_SHARE = 0.2;
const UNKINDNESS_SHARE = 0.1;
const UNKIND_SHARE = 0.4;

type Behaviours = readonly [string, ...string[]];

function usualBehaviours(operation: string): Behaviours {
  const always = ["hang", "http_500", "garbage", "reset", "interim", "long_head"] as const;
  return operation === "inquire" ? always : [...always, "hang_before", "late", "late_effect"];
}

function unkindBehaviours(operation: string): Behaviours {
  switch (operation) {
    case "inquire":
    case "enrol":
      return ["control_characters"];
    case "authorize":
    case "sale":
    case "complete":
      return ["control_characters", "expire", "partial", "partial"];
    case "capture":
      return ["control_characters", "expire", "partial", "partial", "partial"];
    default:
      return ["control_characters", "expire", "expire"];
  }
}

function planReceiverFault(random: Random): Fault {
  return { kind: "receiver", shop: random.pick([0, 1]), mood: random.pick(RECEIVER_MOODS) };
}

/** Process stops outlive the lease every other time; servers come back soon enough for work to continue. */
function durationOf(random: Random, fault: Fault): number {
  switch (fault.kind) {
    case "stop":
      return random.integer(1_000, 9_000);
    case "failpoint":
      return random.integer(5_000, 10_000);
    // Some freezes are longer than the time in which a payment that is found approved may be adopted.
    case "freeze":
      return random.integer(2_000, 18_000);
    case "business_day":
      return 0;
    case "kill":
    case "terminate":
    case "outage":
    case "loss":
    case "link":
    case "bank_link":
      return random.integer(500, 4_000);
    case "bank":
    case "receiver":
      return random.integer(2_000, 6_000);
    case "unkindness":
      return random.integer(4_000, 15_000);
    default:
      return fault satisfies never;
  }
}
