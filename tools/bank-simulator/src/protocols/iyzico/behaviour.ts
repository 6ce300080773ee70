import {
  answerFaults,
  effectFaults,
  type BankTraits,
  type BehaviourOf,
  type OperationOf,
} from "../../core/index.ts";
import type { ErrorCode } from "./wire/error-codes.ts";

const bendings = [...answerFaults, "late", "limited", "wrong_payment_id", "wrong_signature"] as const;
const followUp = [
  ...bendings,
  ...effectFaults,
  "unknown_done",
  "unknown_not_done",
  "unlisted_done",
  "unlisted_not_done",
] as const;
const payment = [...followUp, "partial", "twice"] as const;
const enrolment = [
  ...bendings,
  "decline",
  "hang_before",
  "late_effect",
  "unknown_done",
  "unknown_not_done",
] as const;

/** The faults that `POST /faults` queues; `README.md` describes each. */
export const faultTable = {
  authorize: payment,
  sale: payment,
  complete: payment,
  capture: [...followUp, "partial"],
  void: followUp,
  refund: followUp,
  enrol: enrolment,
  inquire: bendings,
} as const;

export const traits: BankTraits<(typeof faultTable.enrol)[number]> = {
  falseReturns: ["wrong_payment_id"],
  answersAmounts: true,
  voidsInPanel: true,
  hidesDisputes: true,
};

export type Table = typeof faultTable;
export type FaultOperation = OperationOf<Table>;
export type BehaviourName = BehaviourOf<Table>;

/** Influences on an outcome besides the bank's rules. */
export type Circumstances = {
  /** The code with which a fault declines. */
  forcedCode: ErrorCode | undefined;
  /** Approves half of the amount. */
  isPartial: boolean;
  /** Carries a payment out a second time, under another id. */
  isTwice: boolean;
};

export function circumstancesOf(
  behaviour: BehaviourName,
  operation: FaultOperation | undefined,
): Circumstances {
  const forcedCode = behaviour === "decline" && operation ? declines[operation] : undefined;
  return { forcedCode, isPartial: behaviour === "partial", isTwice: behaviour === "twice" };
}

/** The code with which the fault `decline` declines. */
const declines: Partial<Record<FaultOperation, ErrorCode>> = {
  authorize: "10005",
  sale: "10005",
  complete: "10005",
  capture: "10005",
  void: "10012",
  refund: "10246",
  enrol: "10220",
};

/** The answer of a call that was not carried out, or that the bank seems not to have carried out. */
export const answersOfFaults: Partial<Record<BehaviourName, { code: ErrorCode; isDone: boolean }>> = {
  limited: { code: "50000", isDone: false },
  unknown_not_done: { code: "10219", isDone: false },
  unknown_done: { code: "10219", isDone: true },
  unlisted_not_done: { code: "99999", isDone: false },
  unlisted_done: { code: "99999", isDone: true },
};
