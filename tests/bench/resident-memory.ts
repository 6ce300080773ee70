import { readFileSync } from "node:fs";

/** The memory that a process has, from /proc. */
export function residentMiB(pid: number): number {
  return mebibytes(pid, "VmRSS");
}

/** The part of it that is the process's own. The rest is pages of Node's program, which all processes of a machine share. */
export function ownMiB(pid: number): number {
  return mebibytes(pid, "RssAnon");
}

function mebibytes(pid: number, field: string): number {
  const [, kib] =
    new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kib) / 1_024);
}
