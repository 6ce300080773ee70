import type { Habits } from "@holdfast/bank-simulator/sim";
import { REPETITIONS } from "@holdfast/acquirer";
import { z } from "zod";

/**
 * The kindnesses of a run's bank. `SIMULATOR_BINDS_UNSEEN` and `SIMULATOR_REPETITION` take them away, in every run and
 * every fault test: the simulator reads them itself, and the services get the settings that follow from them here.
 */
export function bankHabits(environment: NodeJS.ProcessEnv = process.env): Habits {
  const read = habits.parse(environment);
  return { bindsUnseen: read.SIMULATOR_BINDS_UNSEEN === "true", repetition: read.SIMULATOR_REPETITION };
}

export function isKind({ bindsUnseen, repetition }: Habits): boolean {
  return bindsUnseen && repetition === "replay";
}

const habits = z.object({
  SIMULATOR_BINDS_UNSEEN: z.enum(["true", "false"]).default("true"),
  SIMULATOR_REPETITION: z.enum(REPETITIONS).default("replay"),
});

/** The end of a payment that the bank never saw: the bank binds its reference, or nothing is seen until the horizon. */
export function endOfUnseen({ bindsUnseen } = bankHabits()): { bank: string[]; cause: string } {
  return bindsUnseen
    ? { bank: ["reverse approved"], cause: "reversed" }
    : { bank: [], cause: "not_seen_until_horizon" };
}
