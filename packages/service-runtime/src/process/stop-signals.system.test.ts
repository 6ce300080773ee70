import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Starts a process that says "ready" after these lines. */
async function start(lines: string) {
  const module = JSON.stringify(join(import.meta.dirname, "stop-signals.ts"));
  const script = `import { endOnSignals, nextStopSignal } from ${module};
    setInterval(() => {}, 1_000); ${lines} process.stdout.write("ready");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  return { child, exited };
}

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)(
  "process 1 ends by %s while its program is loaded, and not as one that has done its work",
  async (signal, code) => {
    const { child, exited } = await start("endOnSignals(1);");
    child.kill(signal);
    expect(await exited).toEqual([code, null]);
  },
);

test("any other process leaves that to the kernel, which does not wait for the program", async () => {
  const { child, exited } = await start("endOnSignals();");
  child.kill("SIGTERM");
  expect(await exited).toEqual([null, "SIGTERM"]);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "a program that stops by itself gets %s instead",
  async (signal) => {
    const { child, exited } = await start("endOnSignals(1); nextStopSignal().then(() => process.exit(7));");
    child.kill(signal);
    expect(await exited).toEqual([7, null]);
  },
);
