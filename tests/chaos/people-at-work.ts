import { startDisputes } from "./disputes.ts";
import { startOperators } from "./operators-at-work.ts";
import { createRandom } from "./random.ts";
import { startStaff, type StaffWork } from "./staff-at-work.ts";
import type { System } from "./system/system.ts";

/** Everybody who works with people's faces of the system, until they go home. */
export type PeopleAtWork = {
  /** From now on whatever refund waits is decided. */
  clearTheDesk(): void;
  /** @returns the cases of disputes that there are, and what merchants' staff have done and seen. */
  goHome(): Promise<{ disputes: number; staff: StaffWork }>;
};

/** One stream of numbers each, from `seed` on. */
export async function startPeople({ operators, shops }: System, seed: number): Promise<PeopleAtWork> {
  const atWork = await startOperators(operators, createRandom(seed), shops);
  const endDisputes = startDisputes(await operators.as("elif"), createRandom(seed + 1));
  const endStaff = await startStaff(operators, createRandom(seed + 2), shops);
  return {
    clearTheDesk: () => atWork.clearTheDesk(),
    async goHome() {
      await atWork.goHome();
      return { disputes: await endDisputes(), staff: await endStaff() };
    },
  };
}
