import type { z } from "zod";

/** The body of `POST /faults`: the next `times` calls of an operation are treated as `behaviour` says. */
export type Fault<Operation extends string, Behaviour extends string> = {
  operation: Operation;
  behaviour: Behaviour;
  times: number;
};

/** Faults for the next calls of an operation, first in, first out, for every card, repeats included. */
export class FaultQueue<Operation extends string, Behaviour extends string> {
  readonly #schema: z.ZodType<Fault<Operation, Behaviour>>;
  readonly #queues = new Map<Operation, { behaviour: Behaviour; times: number }[]>();

  constructor(schema: z.ZodType<Fault<Operation, Behaviour>>) {
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
  take(operation: Operation): Behaviour | undefined {
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

/** Far more than a test plans, and a bound for a mistaken loop. */
const QUEUED_MAX = 1_000;
