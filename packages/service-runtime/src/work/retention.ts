import type { Logger } from "../process/logger.ts";
import { startPeriodicTask, type PeriodicTask } from "./periodic-task.ts";

/**
 * The time for which a table's rows are kept. A service has a list of these lines: its purges run from it, and
 * `docs/retention.md` is generated from the lists of all services. A test refuses a table without a line.
 */
export type RetentionLine<Deps = never> = {
  table: string;
  /** The rows meant, where they are not all kept alike; in words that follow the table's name. */
  rows?: string;
  kept: Kept;
  /** The readers of the rows meanwhile, or the reason why they stay: a sentence. */
  because: string;
  /** The task that deletes them. Without it they stay, or another part of the service deletes them. */
  purge?: Purge<Deps>;
};

/**
 * `setting`: for the time in a setting of the service, a duration in milliseconds or a number of days. `ms`:
 * for a fixed time. `with`: exactly as long as its row in another table. `years`: nothing deletes it before,
 * and nothing deletes it automatically afterwards. `in use`: its users replace or remove it.
 */
export type Kept = { setting: string } | { ms: number } | { with: string } | { years: number } | "in use";

export type Purge<Deps> = {
  /** The task's name in logs. */
  task: string;
  intervalMs: number;
  /** Deletes older rows in batches. Any number of processes may do so side by side. @returns the number of rows. */
  round(deps: Deps, olderThanMs: number): Promise<number>;
};

/** Starts a periodic task for each line that has a purge. */
export function startPurges<Deps>(
  lines: readonly RetentionLine<Deps>[],
  { deps, settings, log }: { deps: Deps; settings: Readonly<Record<string, unknown>>; log: Logger },
): PeriodicTask[] {
  return lines.flatMap(({ table, kept, purge }) => {
    if (!purge) return [];
    const olderThanMs = ageOf(table, kept, settings);
    return startPeriodicTask(purge.task, {
      intervalMs: purge.intervalMs,
      round: () => purge.round(deps, olderThanMs),
      log,
    });
  });
}

function ageOf(table: string, kept: Kept, settings: Readonly<Record<string, unknown>>): number {
  const age =
    typeof kept === "object" && "setting" in kept
      ? settings[kept.setting]
      : typeof kept === "object" && "ms" in kept
        ? kept.ms
        : undefined;
  // An age of zero would delete everything.
  if (typeof age !== "number" || !(age > 0)) throw new TypeError(`the age at which ${table} ends is unknown`);
  return age;
}
