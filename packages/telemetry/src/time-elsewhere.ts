import { context, createContextKey, type Context } from "@opentelemetry/api";

/**
 * The time that a unit of work spent waiting for a bank: the rest is our own time, for which there is an objective
 * (docs/slo.md).
 */
type Elsewhere = { milliseconds: number };

/** @returns the context that counts it, for the unit of work that begins. */
export function countingTimeElsewhere(unit: Context = context.active()): Context {
  return unit.setValue(KEY, { milliseconds: 0 } satisfies Elsewhere);
}

/** Adds a call that has ended to the unit of work that is under way, if there is one. */
export function addTimeElsewhere(milliseconds: number): void {
  const elsewhere = context.active().getValue(KEY) as Elsewhere | undefined;
  if (elsewhere) elsewhere.milliseconds += milliseconds;
}

/** @returns milliseconds. Calls side by side each count, so it may be more than the unit's whole time. */
export function timeElsewhere(): number {
  return (context.active().getValue(KEY) as Elsewhere | undefined)?.milliseconds ?? 0;
}

const KEY = createContextKey("holdfast: time elsewhere");
