import { FaultQueue as QueuedFaults } from "@holdfast/simulator-kit";
import { z } from "zod";

import type { BehaviourName } from "./behaviour.ts";
import { operationNames } from "./operation-request.ts";

const faultOperations = [...operationNames, "enrol", "complete", "inquire"] as const;
/** The operations for which a fault can be queued. */
export type FaultOperation = (typeof faultOperations)[number];

/** Faults for the next calls of an operation, as `POST /faults` queues them. */
export class FaultQueue extends QueuedFaults<FaultOperation, BehaviourName> {
  constructor() {
    super(faultSchema);
  }
}

const bendings = [
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
const times = z.int().min(1).max(1_000_000).default(1);

const faultSchema = z.union([
  z.object({
    operation: z.enum(["authorize", "sale", "complete"]),
    behaviour: z.enum(["decline", "expire", "partial", "pending", ...bendings]),
    times,
  }),
  z.object({
    operation: z.enum(["capture", "cancel", "release", "refund"]),
    behaviour: z.enum(["decline", "expire", ...bendings]),
    times,
  }),
  z.object({ operation: z.literal("enrol"), behaviour: z.enum(["decline", ...bendings]), times }),
  z.object({ operation: z.literal("reverse"), behaviour: z.enum(["refuse", "expire", ...bendings]), times }),
  z.object({
    operation: z.literal("inquire"),
    behaviour: z.enum(["hang", "http_500", "garbage", "control_characters", "reset"]),
    times,
  }),
]);
