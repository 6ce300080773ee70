import type { FaultOperation, FaultQueue } from "./fault-queue.ts";
import type { OperationRequest } from "./operation-request.ts";
import type { ResultCode } from "./result-codes.ts";
import type { Circumstances } from "./teller.ts";
import { isLuhnValid } from "@holdfast/simulator-kit";

/** The treatments of a call; `README.md` describes each. */
export const behaviourNames = [
  "plain",
  "decline",
  "refuse",
  "expire",
  "partial",
  "pending",
  "hang",
  "hang_before",
  "late",
  "late_effect",
  "http_500",
  "garbage",
  "wrong_amount",
  "control_characters",
  "reset",
] as const;
export type BehaviourName = (typeof behaviourNames)[number];

/** `forcedCode` is the code that `decline` and `refuse` answer; undefined with every other name. */
export type Behaviour = { name: BehaviourName; forcedCode: ResultCode | undefined };

export type BehaviourSources = {
  queue: FaultQueue;
  /** References whose `hang_before` has been played, so that recovery by repeating converges. */
  spent: Set<string>;
  hasSeen(reference: string): boolean;
};

/**
 * Chooses by the queue first, then, for a reference not seen before, by the card or by the amount. A repeat is thus
 * answered normally unless a fault was queued for it.
 */
export function chooseBehaviour(
  sources: BehaviourSources,
  request: OperationRequest,
  /** The call's name in faults, where that is not the operation. */
  call: FaultOperation = request.operation,
): Behaviour {
  const queued = sources.queue.take(call);
  if (queued) return { name: queued, forcedCode: forcedCodes[queued] };
  if (sources.hasSeen(request.reference)) return plain;
  switch (request.operation) {
    case "authorize":
    case "sale":
      return request.pan === null ? plain : testCard(request.pan);
    case "capture":
    case "cancel":
    case "release":
    case "refund":
      return behaviourOfAmount(sources.spent, request);
    case "reverse":
      return plain;
    default:
      return request.operation satisfies never;
  }
}

/** The circumstances of a request that arrived at `arrivedAtMs`, in epoch milliseconds. */
export function circumstancesOf(
  behaviour: Behaviour,
  { expiresAtMs }: { expiresAtMs: number | undefined },
  arrivedAtMs: number,
): Circumstances {
  return {
    isExpired: behaviour.name === "expire" || (expiresAtMs !== undefined && arrivedAtMs >= expiresAtMs),
    forcedCode: behaviour.forcedCode,
    isPartial: behaviour.name === "partial",
  };
}

function behaviourOfAmount(spent: Set<string>, request: OperationRequest): Behaviour {
  const name = faultOfAmount(request.amountMinor);
  if (name === "hang_before") {
    if (spent.has(request.reference)) return plain;
    spent.add(request.reference);
  }
  return { name, forcedCode: forcedCodes[name] };
}

const plain: Behaviour = { name: "plain", forcedCode: undefined };

const forcedCodes: Partial<Record<BehaviourName, ResultCode>> = { decline: "05", refuse: "21" };

/** The fault that is selected by the last two digits of a follow-up's minor units. */
function faultOfAmount(amountMinor: bigint): BehaviourName {
  return faultsByDigits.get(amountMinor % 100n) ?? "plain";
}

const faultsByDigits = new Map<bigint, BehaviourName>([
  [91n, "decline"],
  [92n, "hang"],
  [93n, "hang_before"],
  [94n, "late"],
  [95n, "http_500"],
]);

/** The bank's behaviour with a card. A card that is not in the table approves where its Luhn digit is right. */
function testCard(pan: string): Behaviour {
  if (!isLuhnValid(pan)) return { name: "decline", forcedCode: "14" };
  return testCards.get(pan) ?? fault("plain");
}

const testCards = new Map<string, Behaviour>([
  ["4000000000000002", { name: "decline", forcedCode: "05" }],
  ["4000000000009995", { name: "decline", forcedCode: "51" }],
  ["4000000000000069", { name: "decline", forcedCode: "54" }],
  ["4000000000000119", fault("hang")],
  ["4000000000000127", fault("hang_before")],
  ["4000000000000101", fault("late")],
  ["4000000000000259", fault("late_effect")],
  ["4000000000000341", fault("http_500")],
  ["4000000000000036", fault("garbage")],
  ["4000000000000044", fault("wrong_amount")],
  ["4000000000000051", fault("reset")],
]);

function fault(name: BehaviourName): Behaviour {
  return { name, forcedCode: undefined };
}
