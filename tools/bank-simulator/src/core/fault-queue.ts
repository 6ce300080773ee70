import { z } from "zod";

/**
 * The faults that can be queued, by the call for which they can: data of a protocol. `POST /faults` takes no other.
 */
export type FaultTable = Readonly<Record<string, readonly string[]>>;

export type OperationOf<Table extends FaultTable> = keyof Table & string;
export type BehaviourOf<Table extends FaultTable> = Table[keyof Table][number] | "plain";

/** Faults of every call, of whatever protocol: they bend the answer after the call was carried out. */
export const answerFaults = [
  "hang",
  "http_500",
  "garbage",
  "control_characters",
  "reset",
  "interim",
  "long_head",
] as const;

/** Faults of every call that has an effect. */
export const effectFaults = ["decline", "hang_before", "late", "late_effect", "wrong_amount"] as const;

/** Faults for the next calls of an operation, first in, first out, for every card, repeats included. */
export class FaultQueue<Table extends FaultTable> {
  readonly #table: Table;
  readonly #queues = new Map<string, { behaviour: string; times: number }[]>();

  constructor(table: Table) {
    this.#table = table;
  }

  /** Queues the fault of the body of `POST /faults`. @returns false for an invalid body. */
  add(body: unknown): boolean {
    const parsed = faultSchema.safeParse(body);
    if (!parsed.success) return false;
    const { operation, behaviour, times } = parsed.data;
    if (!Object.hasOwn(this.#table, operation) || !this.#table[operation]?.includes(behaviour)) return false;
    const queue = this.#queues.get(operation) ?? [];
    if (queue.length >= QUEUED_MAX) return false;
    queue.push({ behaviour, times });
    this.#queues.set(operation, queue);
    return true;
  }

  /** Takes the fault of this call out of the queue. */
  take(operation: OperationOf<Table>): BehaviourOf<Table> | undefined {
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

const faultSchema = z.object({
  operation: z.string(),
  behaviour: z.string(),
  times: z.int().min(1).max(1_000_000).default(1),
});

/** Far more than a test plans, and a bound for a mistaken loop. */
const QUEUED_MAX = 1_000;
