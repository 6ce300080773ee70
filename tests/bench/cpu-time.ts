import { readFileSync, readdirSync } from "node:fs";

/**
 * CPU time of a process in milliseconds, user and system, from /proc. With `tree` (Postgres) it includes the
 * children, also those that have ended.
 */
export function cpuTimeMs(pid: number, { tree = false }: { tree?: boolean } = {}): number {
  const { own, ended } = ticksOf(pid);
  if (!tree) return own * MS_PER_TICK;
  return childrenOf(pid).reduce(
    (sum, child) => sum + cpuTimeMs(child, { tree }),
    (own + ended) * MS_PER_TICK,
  );
}

/** Fields 14 to 17 of proc(5)'s stat; the name in field 2 may hold spaces, so they are counted from its end. */
function ticksOf(pid: number): { own: number; ended: number } {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number) as [
      number,
      number,
      number,
      number,
    ];
    return { own: user + system, ended: endedUser + endedSystem };
  } catch {
    return { own: 0, ended: 0 };
  }
}

/** The children of a process; none if it has ended meanwhile. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")
        .trim()
        .split(" ")
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    return [];
  }
}

/** USER_HZ is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;
