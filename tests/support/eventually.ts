import { setTimeout as delay } from "node:timers/promises";

/** Daily tests have less: vitest.config.ts. */
const WITHIN_MS = Number(process.env["TEST_WAIT_MS"] ?? 180_000);

/**
 * Waits for a condition instead of sleeping: calls `check` until it neither throws nor returns `false`, and
 * resolves to its result, so that expectations work in it unchanged. At the deadline it throws an error with
 * the last failure. The default deadline is long enough for a machine with twenty times the work; a condition
 * that comes early does not wait for it.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { withinMs = WITHIN_MS, everyMs = 20 }: { withinMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, false>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const outcome = await attempt(check, deadline);
    if (outcome.kind === "met") return outcome.value as Exclude<T, false>;
    if (performance.now() + everyMs > deadline) {
      throw new Error(`not so within ${withinMs} ms; last: ${describe(outcome.failure)}`, {
        cause: outcome.failure,
      });
    }
    await delay(everyMs);
  }
}

type Outcome<T> = { kind: "met"; value: T } | { kind: "unmet"; failure: unknown };

/** One call of the check, itself bounded by the deadline: a check that hangs must not outlive it. */
async function attempt<T>(check: () => T | Promise<T>, deadline: number): Promise<Outcome<T>> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error("the check itself did not end")),
    Math.max(0, deadline - performance.now()),
  );
  try {
    const value = await Promise.race([check(), late.promise]);
    return value === false ? { kind: "unmet", failure: "the check answered false" } : { kind: "met", value };
  } catch (failure) {
    return { kind: "unmet", failure };
  } finally {
    clearTimeout(timer);
  }
}

function describe(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
