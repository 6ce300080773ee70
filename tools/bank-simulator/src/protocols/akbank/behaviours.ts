import { answerFaults, bothWays, effectFaults, type BankTraits, type BehaviourOf } from "../../core/index.ts";

const everyCall = [...answerFaults, "late", "wrong_amount", "illegal_characters", "other_order"] as const;
/**
 * Answers that do not reveal the effect: each exists with the effect (`_done`) and without it (`_not_done`).
 */
export const uncertainCodes = { host_silent: "91", unlisted: "VPS-1999" } as const;
const money = [
  ...everyCall,
  ...effectFaults,
  ...bothWays("host_silent"),
  ...bothWays("unlisted"),
  "day_closes",
] as const;
const payment = [...money, "partial", "twice"] as const;

/** The faults that `POST /faults` queues; `README.md` describes each. */
export const faultTable = {
  authorize: payment,
  sale: payment,
  complete: payment,
  capture: [...money, "partial"],
  void: money,
  refund: money,
  enrol: [...everyCall, ...effectFaults, "wrong_hash", "no_hash", "other_list", "error_page"],
  inquire: [...everyCall, "unlisted_done"],
} as const;
export type BehaviourName = BehaviourOf<typeof faultTable>;

export const traits: BankTraits<(typeof faultTable.enrol)[number]> = {
  falseReturns: ["wrong_hash", "no_hash", "other_list", "other_order", "wrong_amount"],
};
