import { z } from "zod";

import type { BehaviourName } from "./behaviour.ts";
import { operationNames } from "./operation-request.ts";

const faultOperations = [...operationNames, "enrol", "complete", "inquire"] as const;
/** The operations for which a fault can be queued. */
export type FaultOperation = (typeof faultOperations)[number];

type QueuedFault = { behaviour: BehaviourName; times: number };

/** Faults for the next calls of an operation, first in, first out, whatever the card, repeats included. */
export class FaultQueue {
  readonly #queues = new Map<FaultOperation, QueuedFault[]>();

  /** Queues the faults of the body of `POST /faults`. @returns false for an invalid body. */
  add(body: unknown): boolean {
    const parsed = faultSchema.safeParse(body);
    if (!parsed.success) return false;
    const { operation, behaviour, times } = parsed.data;
    const queue = this.#queues.get(operation) ?? [];
    if (queue.length >= QUEUED_MAX) return false;
    queue.push({ behaviour, times });
    this.#queues.set(operation, queue);
    return true;
  }

  /** Takes the fault of this call out of the queue. */
  take(operation: FaultOperation): BehaviourName | undefined {
    const queue = this.#queues.get(operation);
    const next = queue?.[0];
    if (!queue || !next) return undefined;
    next.times -= 1;
    if (next.times === 0) queue.shift();
    return next.behaviour;
  }

  clear(): void {
    this.#queues.clear();
  }
}

/** Far more than a test plans, and a bound on what a mistaken loop can leave behind. */
const QUEUED_MAX = 1_000;

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
    behaviour: z.enum(["decline", "expire", "partial", ...bendings]),
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
