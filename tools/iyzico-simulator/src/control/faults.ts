import { FaultQueue } from "@holdfast/simulator-kit";
import { z } from "zod";

import type { BehaviourName } from "../bank/behaviour.ts";

/** The calls for which a fault can be queued. */
export const faultOperations = [
  "authorize",
  "sale",
  "capture",
  "void",
  "refund",
  "enrol",
  "complete",
  "inquire",
] as const;
export type FaultOperation = (typeof faultOperations)[number];

export type Faults = FaultQueue<FaultOperation, BehaviourName>;

export function createFaults(): Faults {
  return new FaultQueue<FaultOperation, BehaviourName>(faultSchema);
}

const bendings = [
  "hang",
  "late",
  "http_500",
  "garbage",
  "control_characters",
  "reset",
  "limited",
  "wrong_payment_id",
  "wrong_signature",
] as const;
const moving = [
  ...bendings,
  "decline",
  "hang_before",
  "late_effect",
  "unknown_done",
  "unknown_not_done",
] as const;
const times = z.int().min(1).max(1_000_000).default(1);

const faultSchema = z.union([
  z.object({
    operation: z.enum(["authorize", "sale", "complete"]),
    behaviour: z.enum([...moving, "wrong_amount", "partial"]),
    times,
  }),
  z.object({
    operation: z.enum(["capture", "void", "refund"]),
    behaviour: z.enum([...moving, "wrong_amount"]),
    times,
  }),
  z.object({ operation: z.literal("enrol"), behaviour: z.enum(moving), times }),
  z.object({ operation: z.literal("inquire"), behaviour: z.enum(bendings), times }),
]);
