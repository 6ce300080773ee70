import { readFileSync, readdirSync } from "node:fs";

/** CPU time of a process in milliseconds, user and system, from /proc; with `tree` its children's too (Postgres). */
export function cpuTimeMs(pid: number, { tree = false }: { tree?: boolean } = {}): number {
  const own = ticksOf(pid) * MS_PER_TICK;
  if (!tree) return own;
  return childrenOf(pid).reduce((sum, child) => sum + cpuTimeMs(child, { tree }), own);
}

/** Fields 14 and 15 of proc(5)'s stat; the name in field 2 may hold spaces, so they are counted from its end. */
function ticksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}

/** A process that has ended meanwhile has none. */
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
