import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

type Entry = { pid: number; parent: number };

/**
 * A process with all its descendants. Those seen once are remembered, because the children of a process that is gone
 * can no longer be found by their parent.
 */
export class ProcessTree {
  readonly #seen: Set<number>;

  constructor(pid: number) {
    this.#seen = new Set([pid]);
  }

  /** The processes that run now. */
  running(): number[] {
    const entries = readProcesses();
    for (let size = 0; size !== this.#seen.size;) {
      size = this.#seen.size;
      for (const { pid, parent } of entries) if (this.#seen.has(parent)) this.#seen.add(pid);
    }
    return entries.filter(({ pid }) => this.#seen.has(pid)).map(({ pid }) => pid);
  }
}

/** Leaves out processes that have ended and were not reaped yet by a slow init. */
function readProcesses(): Entry[] {
  return existsSync("/proc/self/stat") ? fromProc() : fromPs();
}

function fromProc(): Entry[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The second field is the program's name in parentheses and may hold spaces.
        const [state, parent] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)!.split(" ");
        return state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent) }];
      } catch {
        return [];
      }
    });
}

function fromPs(): Entry[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,state="], { encoding: "utf8" });
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state !== undefined && !state.startsWith("Z"))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}
