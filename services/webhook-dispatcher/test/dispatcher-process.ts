import { join } from "node:path";
import { spawnLogged, withParentDeathSignal, type LoggedChild } from "@holdfast/sandbox/infrastructure";
import { eventually } from "@holdfast/tests/support";

/** A dispatcher as a process of its own, so that it can be killed. It is ready once its consumer exists. */
export async function startDispatcherProcess(
  env: Record<string, string>,
  logFile: string,
): Promise<LoggedChild> {
  const child = await spawnLogged({
    name: "webhook-dispatcher",
    command: withParentDeathSignal("KILL", [
      process.execPath,
      join(import.meta.dirname, "..", "src", "main.ts"),
    ]),
    env: { PATH: process.env["PATH"], ...env },
    logFile,
  });
  await eventually(() => {
    if (!child.isRunning()) throw new Error(child.logTail());
    expectStarted(child.logTail());
  });
  return child;
}

function expectStarted(log: string): void {
  if (!log.includes('"msg":"started"')) throw new Error("not started yet");
}
