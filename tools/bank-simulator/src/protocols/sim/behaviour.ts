import {
  answerFaults,
  effectFaults,
  isLuhnValid,
  testCard,
  type BehaviourOf,
  type FaultQueue,
  type IssuerDecline,
  type OperationOf,
} from "../../core/index.ts";
import type { OperationRequest } from "./operation-request.ts";
import type { ResultCode } from "./result-codes.ts";
import type { Circumstances } from "./teller.ts";

const bendings = [...answerFaults, "hang_before", "late", "late_effect", "wrong_amount"] as const;
const payment = [...answerFaults, ...effectFaults, "expire", "partial", "pending"] as const;
const followUp = [...answerFaults, ...effectFaults, "expire"] as const;

/** The faults that `POST /faults` queues; `README.md` describes each. */
export const faultTable = {
  authorize: payment,
  sale: payment,
  complete: payment,
  capture: followUp,
  cancel: followUp,
  release: followUp,
  refund: followUp,
  enrol: [...answerFaults, ...effectFaults],
  reverse: [...bendings, "refuse", "expire"],
  inquire: answerFaults,
} as const;

type Table = typeof faultTable;
export type BehaviourName = BehaviourOf<Table>;

/** `forcedCode` is the code that `decline` and `refuse` answer; undefined with every other name. */
export type Behaviour = { name: BehaviourName; forcedCode: ResultCode | undefined };

export type BehaviourSources = {
  queue: FaultQueue<Table>;
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
  call: OperationOf<Table> = request.operation,
): Behaviour {
  const queued = sources.queue.take(call);
  if (queued) return behaviourOf(queued);
  if (sources.hasSeen(request.reference)) return behaviourOf("plain");
  switch (request.operation) {
    case "authorize":
    case "sale":
      return request.pan === null ? behaviourOf("plain") : behaviourOfCard(request.pan);
    case "capture":
    case "cancel":
    case "release":
    case "refund":
      return behaviourOfAmount(sources.spent, request);
    case "reverse":
      return behaviourOf("plain");
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

function behaviourOf(name: BehaviourName): Behaviour {
  const forcedCode = name === "decline" ? "05" : name === "refuse" ? "21" : undefined;
  return { name, forcedCode };
}

/** A card that is not in the table approves where its Luhn digit is right. */
function behaviourOfCard(pan: string): Behaviour {
  if (!isLuhnValid(pan)) return { name: "decline", forcedCode: "14" };
  const { decline, fault = "plain" } = testCard(pan);
  return decline ? { name: "decline", forcedCode: issuerCodes[decline] } : behaviourOf(fault);
}

const issuerCodes: Record<IssuerDecline, ResultCode> = {
  do_not_honour: "05",
  insufficient_funds: "51",
  expired_card: "54",
};

/** The fault that is selected by the last two digits of a follow-up's minor units. */
function behaviourOfAmount(spent: Set<string>, { reference, amountMinor }: OperationRequest): Behaviour {
  const name = faultsByDigits.get(amountMinor % 100n) ?? "plain";
  if (name === "hang_before") {
    if (spent.has(reference)) return behaviourOf("plain");
    spent.add(reference);
  }
  return behaviourOf(name);
}

const faultsByDigits = new Map<bigint, BehaviourName>([
  [91n, "decline"],
  [92n, "hang"],
  [93n, "hang_before"],
  [94n, "late"],
  [95n, "http_500"],
]);
