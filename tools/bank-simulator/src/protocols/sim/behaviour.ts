import {
  answerFaults,
  effectFaults,
  isLuhnValid,
  testCard,
  type BankTraits,
  type BehaviourOf,
  type FaultQueue,
  type IssuerDecline,
  type OperationOf,
} from "../../core/index.ts";
import type { OperationRequest } from "./operation-request.ts";
import type { ResultCode } from "./result-codes.ts";
import type { Circumstances, Teller } from "./teller.ts";

const followUp = [...answerFaults, ...effectFaults, "expire"] as const;
const payment = [...followUp, "partial", "pending"] as const;

/** The faults that `POST /faults` queues; `README.md` describes each. */
export const faultTable = {
  authorize: payment,
  sale: payment,
  complete: payment,
  capture: [...followUp, "partial"],
  cancel: followUp,
  release: followUp,
  refund: [...followUp, "pending"],
  enrol: [...answerFaults, ...effectFaults],
  reverse: [...answerFaults, "hang_before", "late", "late_effect", "wrong_amount", "refuse", "expire"],
  inquire: answerFaults,
} as const;

export const traits: BankTraits = { falseReturns: [], answersAmounts: true };

type Table = typeof faultTable;
export type BehaviourName = BehaviourOf<Table>;

/** `forcedCode` is the code that `decline` and `refuse` answer; undefined with every other name. */
export type Behaviour = { name: BehaviourName; forcedCode: ResultCode | undefined };

export type BehaviourSources = {
  faults: FaultQueue<Table>;
  /** References whose `hang_before` has been played, so that recovery by repeating converges. */
  spent: Set<string>;
  teller: Teller;
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
  const queued = sources.faults.take(call);
  if (queued) return behaviourOf(queued);
  if (sources.teller.hasSeen(request.reference)) return behaviourOf("plain");
  if (request.pan !== null) return behaviourOfCard(request.pan);
  return request.parentReference === null ? behaviourOf("plain") : behaviourOfAmount(sources.spent, request);
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
    isPending: behaviour.name === "pending",
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
