import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

/** A process whose service starts as the text says. */
function run(start: string) {
  const script = `
    import { runService } from "@holdfast/service-runtime";
    const alive = () => setInterval(() => {}, 1_000);
    void runService("test", async () => { ${start} });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  let output = "";
  const printed = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      output += String(chunk);
      if (output.includes("ready") || output.includes('"started"')) resolve();
    });
  });
  return { child, exited, printed };
}

test("a service that is told to stop while it still waits to start ends with 0", async () => {
  const { child, exited, printed } = run(
    `alive(); process.stdout.write("ready"); await new Promise(() => {});`,
  );
  await printed;
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});

test("a running service is drained before it ends with 0; one that cannot drain ends with 1", async () => {
  for (const [stop, code] of [
    ["process.stdout.write(''); clearInterval(timer);", 0],
    ["throw new Error('no')", 1],
  ] as const) {
    const { child, exited, printed } = run(
      `const timer = alive(); return { stop: async () => { ${stop} } };`,
    );
    await printed;
    child.kill("SIGTERM");
    expect(await exited).toEqual([code, null]);
  }
});

test("one whose log nobody reads any more ends all the same", async () => {
  const { child, exited, printed } = run(
    `const timer = alive(); return { stop: async () => clearInterval(timer) };`,
  );
  await printed;
  child.stdout.destroy();
  child.kill("SIGTERM");
  // By itself, however its log lines failed.
  expect(await exited).toEqual([expect.any(Number), null]);
});
