import { startDisputes } from "./disputes.ts";
import { startOperators } from "./operators-at-work.ts";
import { createRandom } from "./random.ts";
import { startResolving } from "./resolve-cases.ts";
import { startStaff } from "./staff-at-work.ts";
import type { Violation } from "../checker/index.ts";
import type { System } from "./system/system.ts";

/** All people who work with the operators' and staff's listeners, until they go home. */
export type PeopleAtWork = {
  /** From now on all pending refunds are decided, and cases that only people can end are resolved. */
  clearTheDesk(): Promise<void>;
  /** The number of refunds that merchants' staff have requested. */
  staffRefunds(): number;
  /** @returns records that merchants' staff were not to see, or missed. */
  goHome(): Promise<Violation[]>;
};

/** Starts all people. Each has a stream of random numbers; the seeds count up from `seed`. */
export async function startPeople({ banks, operators, shops }: System, seed: number): Promise<PeopleAtWork> {
  const atWork = await startOperators(operators, createRandom(seed), shops);
  const endDisputes = startDisputes(await operators.as("elif"), createRandom(seed + 1));
  let endResolving = async () => {};
  const staff = await startStaff(operators, createRandom(seed + 2), shops);
  return {
    async clearTheDesk() {
      atWork.clearTheDesk();
      endResolving = startResolving(banks, [await operators.as("filiz"), await operators.as("gizem")]);
    },
    staffRefunds: () => staff.refunds(),
    async goHome() {
      await atWork.goHome();
      await endDisputes();
      await endResolving();
      return await staff.goHome();
    },
  };
}
