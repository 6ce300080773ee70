// A sandbox or test run that is killed with SIGKILL cannot stop what it started. On Linux the kernel does it instead:
// `setpriv --pdeathsig` arms a signal that a child gets when its parent dies, then execs, so the pid is the program's own.
import { spawnSync, type ChildProcess } from "node:child_process";

/**
 * Prefixes a command so that it gets `signal` when this process dies; returns it unchanged except on Linux.
 */
export function withParentDeathSignal(signal: "INT" | "TERM" | "KILL", command: string[]): string[] {
  return supported() ? ["setpriv", "--pdeathsig", signal, "--", ...command] : command;
}

/** Kills a child, should it still run when this process exits by itself, on any system. */
export function killOnExit(child: ChildProcess): void {
  if (running.size === 0) process.once("exit", killRunning);
  running.add(child);
  child.once("exit", () => {
    running.delete(child);
    if (running.size === 0) process.off("exit", killRunning);
  });
}

const running = new Set<ChildProcess>();

function killRunning(): void {
  for (const child of running) child.kill("SIGKILL");
}

let probed: boolean | undefined;

/** Tried instead of looked up, because BusyBox ships a setpriv that lacks the option. */
function supported(): boolean {
  probed ??=
    process.platform === "linux" && spawnSync("setpriv", ["--pdeathsig", "TERM", "--", "true"]).status === 0;
  return probed;
}
