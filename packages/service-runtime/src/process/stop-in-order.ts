import type { Health } from "./health.ts";

/**
 * Ends a service: it takes no new work, each stage ends before the next begins, and its health is answered until the
 * last is over. The parts that take work come first, the parts that this work needs last.
 */
export async function stopInOrder(
  health: Health,
  stages: readonly (readonly (() => Promise<unknown>)[])[],
): Promise<void> {
  health.markDraining();
  for (const stage of stages) await Promise.all(stage.map((stop) => stop()));
  await health.close();
}
