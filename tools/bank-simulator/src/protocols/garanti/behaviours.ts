import { answerFaults, bothWays, effectFaults, type BankTraits, type BehaviourOf } from "../../core/index.ts";
import { RPC } from "./gvps-answer.ts";

const everyCall = [
  ...answerFaults,
  "late",
  "wrong_amount",
  "illegal_characters",
  "wrong_hash",
  "other_order",
] as const;
/**
 * Answers that do not reveal the effect: each exists with the effect (`_done`) and without it (`_not_done`).
 */
export const uncertainCodes = {
  gateway_error: "9999",
  time_out: "9998",
  // A code that is in none of the bank's lists.
  unlisted: "0999",
  host_silent: "91",
  rpc: RPC,
} as const;
const money = [
  ...everyCall,
  ...effectFaults,
  ...bothWays("gateway_error"),
  ...bothWays("time_out"),
  ...bothWays("unlisted"),
  ...bothWays("host_silent"),
  "day_closes",
] as const;
const payment = [...money, "partial", "twice"] as const;
const undoing = [...money, ...bothWays("rpc")] as const;

/** The faults that `POST /faults` queues; `README.md` describes each. */
export const faultTable = {
  authorize: payment,
  sale: payment,
  complete: payment,
  capture: [...money, "partial"],
  void: undoing,
  refund: undoing,
  enrol: [...everyCall, ...effectFaults, "no_hash", "other_list", "error_page"],
  inquire: [...everyCall, "gateway_error_done"],
} as const;
export type BehaviourName = BehaviourOf<typeof faultTable>;

/** No hash of a return covers its amount. */
export const traits: BankTraits<(typeof faultTable.enrol)[number]> = {
  falseReturns: ["wrong_hash", "no_hash", "other_list", "other_order"],
};
