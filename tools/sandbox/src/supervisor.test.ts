import type { Exit, LoggedChild } from "./infrastructure/index.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Supervisor, type Stage } from "./supervisor.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A child that only SIGKILL ends, and a server of PostgreSQL that no other signal ends either. */
function deafChild(name: string): LoggedChild {
  const { promise: exited, resolve } = Promise.withResolvers<Exit>();
  let running = true;
  const kill = (signal: NodeJS.Signals) => {
    if (signal !== "SIGKILL") return;
    running = false;
    resolve({ code: null, signal });
  };
  return {
    name,
    pid: 1,
    logFile: "",
    exited,
    isRunning: () => running,
    kill,
    logTail: () => "",
    async stop({ withinMs = 0 } = {}) {
      await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, withinMs))]);
      kill("SIGKILL");
      return exited;
    },
  };
}

const stages: Stage[] = ["edge", "service", "transport", "database"];

async function superviseDeafOnes() {
  const supervisor = new Supervisor({ log: () => {}, onChange: () => {} });
  const children = stages.map(deafChild);
  for (const [index, stage] of stages.entries()) {
    await supervisor.start(stage, stage, async (onSpawn) => onSpawn(children[index]!));
  }
  return { supervisor, running: () => children.filter((child) => child.isRunning()).map(({ name }) => name) };
}

test("all of it ends within 8 seconds, however deaf, and what others depend on last", async () => {
  const { supervisor, running } = await superviseDeafOnes();
  const stopped = vi.fn<() => void>();
  void supervisor.stop().then(stopped);
  const left: string[][] = [];
  for (const seconds of [2, 3, 2, 1]) {
    await vi.advanceTimersByTimeAsync(seconds * 1_000);
    left.push(running());
  }
  expect(left).toEqual([stages, stages.slice(1), stages.slice(3), []]);
  expect(stopped).toHaveBeenCalled();
});

test("told to kill, it waits for nobody", async () => {
  const { supervisor, running } = await superviseDeafOnes();
  const stopping = supervisor.stop();
  supervisor.kill();
  expect(running()).toEqual([]);
  await stopping;
});
