import { answerFaults, bothWays, effectFaults, type BankTraits, type BehaviourOf } from "../../core/index.ts";

const everyCall = [...answerFaults, "late", "illegal_characters", "no_approved"] as const;
/**
 * Answers that do not reveal the effect: each exists with the effect (`_done`) and without it (`_not_done`).
 */
export const uncertainCodes = { host_silent: "0091", system: "E998", unlisted: "0999" } as const;
const money = [
  ...everyCall,
  ...effectFaults,
  ...bothWays("host_silent"),
  ...bothWays("system"),
  ...bothWays("unlisted"),
  "no_hostlogkey",
  "day_closes",
] as const;
const payment = [...money, "partial", "twice"] as const;
const signed = ["wrong_mac", "no_mac"] as const;

/** The faults that `POST /faults` queues; `README.md` describes each. */
export const faultTable = {
  authorize: payment,
  sale: payment,
  complete: [...payment, ...signed],
  capture: [...money, "partial"],
  void: money,
  refund: money,
  inquire: [...everyCall, "system_done", "unlisted_done", "wrong_amount", "other_order"],
  begin: [...everyCall, "hang_before", "system_done"],
  enrol: [
    ...everyCall,
    ...effectFaults,
    "wrong_sign",
    "no_sign",
    "other_order",
    "other_account",
    "other_packet",
    "error_page",
  ],
  resolve: [
    ...everyCall,
    ...signed,
    "system_done",
    "unlisted_done",
    "wrong_amount",
    "other_order",
    "contradiction",
    "no_md_status",
  ],
} as const;
export type BehaviourName = BehaviourOf<typeof faultTable>;

/** The plain fields beside the packets of a return are not signed. */
export const traits: BankTraits<(typeof faultTable.enrol)[number]> = {
  falseReturns: ["wrong_sign", "no_sign"],
};
