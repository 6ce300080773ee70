import type { z } from "zod";

/** What the body of `POST /faults` has once it is checked: the next `times` calls of `operation` behave so. */
type QueuedFault = { operation: string; behaviour: string; times: number };

/** Faults for the next calls of an operation, first in, first out, whatever the card, repeats included. */
export class FaultQueue<Fault extends QueuedFault> {
  readonly #schema: z.ZodType<Fault>;
  readonly #queues = new Map<Fault["operation"], Pick<QueuedFault, "behaviour" | "times">[]>();

  /** `schema` says which behaviours an operation has. */
  constructor(schema: z.ZodType<Fault>) {
    this.#schema = schema;
  }

  /** Queues the faults of the body of `POST /faults`. @returns false for an invalid body. */
  add(body: unknown): boolean {
    const parsed = this.#schema.safeParse(body);
    if (!parsed.success) return false;
    const { operation, behaviour, times } = parsed.data;
    const queue = this.#queues.get(operation) ?? [];
    if (queue.length >= QUEUED_MAX) return false;
    queue.push({ behaviour, times });
    this.#queues.set(operation, queue);
    return true;
  }

  /** Takes the fault of this call out of the queue. */
  take(operation: Fault["operation"]): Fault["behaviour"] | undefined {
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
