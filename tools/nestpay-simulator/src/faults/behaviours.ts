import { FaultQueue as QueuedFaults } from "@holdfast/bank-simulator/core";

import type { Circumstances } from "../bank/judgement.ts";
import type { IssuerCode } from "../bank/refusals.ts";

/** Faults that every call can suffer. */
const answerFaults = [
  "hang",
  "late",
  "http_500",
  "garbage",
  "wrong_amount",
  "control_characters",
  "illegal_characters",
  "reset",
] as const;

/** Further faults of a call that has an effect. */
const effectFaults = ["decline", "hang_before", "late_effect"] as const;

/** The troubles of Nestpay's gateway and of the bank's host. */
const gatewayFaults = [
  "host_timeout",
  "issuer_unavailable",
  "system_error",
  "gateway_error",
  "gateway_error_before",
  "day_closes",
] as const;

/** The treatment of a call; `README.md` describes each. */
export type BehaviourName =
  | "plain"
  | "partial"
  | "wrong_hash"
  | (typeof answerFaults)[number]
  | (typeof effectFaults)[number]
  | (typeof gatewayFaults)[number];

const payment = ["partial", ...answerFaults, ...effectFaults, ...gatewayFaults] as const;
const followUp = [...answerFaults, ...effectFaults, ...gatewayFaults] as const;

const faultTable = {
  authorize: payment,
  sale: payment,
  complete: payment,
  capture: followUp,
  void: followUp,
  refund: followUp,
  enrol: ["wrong_hash", ...answerFaults, ...effectFaults],
  inquire: [...answerFaults, "gateway_error"],
} as const;

/** The faults that `POST /faults` queues for this bank's calls. */
export class FaultQueue extends QueuedFaults<typeof faultTable> {
  constructor() {
    super(faultTable);
  }
}

/** The treatment of a call, with the code with which the issuer or its host declines it. */
export type Behaviour = { name: BehaviourName; issuerCode: IssuerCode | undefined };

export function behaviourOf(name: BehaviourName): Behaviour {
  return { name, issuerCode: issuerCodes[name] };
}

export function circumstancesOf({ name, issuerCode }: Behaviour): Circumstances {
  return { issuerCode, isPartial: name === "partial", isShownWrong: name === "wrong_amount" };
}

const issuerCodes: Partial<Record<BehaviourName, IssuerCode>> = {
  decline: "05",
  host_timeout: "92",
  issuer_unavailable: "91",
  system_error: "96",
};
