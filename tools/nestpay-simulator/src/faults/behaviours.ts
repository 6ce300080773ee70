import { FaultQueue as QueuedFaults } from "@holdfast/simulator-kit";
import { z } from "zod";

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

const times = z.int().min(1).max(1_000_000).default(1);

const faultSchema = z.union([
  z.object({
    operation: z.enum(["authorize", "sale", "complete"]),
    behaviour: z.enum(["partial", ...answerFaults, ...effectFaults, ...gatewayFaults]),
    times,
  }),
  z.object({
    operation: z.enum(["capture", "void", "refund"]),
    behaviour: z.enum([...answerFaults, ...effectFaults, ...gatewayFaults]),
    times,
  }),
  z.object({
    operation: z.literal("enrol"),
    behaviour: z.enum(["wrong_hash", ...answerFaults, ...effectFaults]),
    times,
  }),
  z.object({
    operation: z.literal("inquire"),
    behaviour: z.enum([...answerFaults, "gateway_error"]),
    times,
  }),
]);

/** The calls for which a fault can be queued. */
export type FaultOperation = z.output<typeof faultSchema>["operation"];

/** The faults that `POST /faults` queues for this bank's calls. */
export class FaultQueue extends QueuedFaults<
  z.output<typeof faultSchema>["operation"],
  z.output<typeof faultSchema>["behaviour"]
> {
  constructor() {
    super(faultSchema);
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
