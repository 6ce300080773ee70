import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const PORTS = 300;

test("programs that draw ports at the same time draw different ones", async () => {
  const script = `
    import { freePort } from ${JSON.stringify(join(import.meta.dirname, "free-port.ts"))};
    const ports = [];
    while (ports.length < ${PORTS}) ports.push(await freePort());
    // A program keeps the ports that it has drawn until it ends.
    process.stdin.once("end", () => process.stdout.write(ports.join())).resume();
    process.stderr.write("drawn");
  `;
  const draw = () => {
    const running = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
    const hasDrawn = new Promise((resolve) => running.child.stderr!.once("data", resolve));
    return { running, hasDrawn };
  };
  const programs = [draw(), draw(), draw()];
  await Promise.all(programs.map(({ hasDrawn }) => hasDrawn));
  for (const { running } of programs) running.child.stdin!.end();
  const outputs = await Promise.all(programs.map(({ running }) => running));
  const drawn = outputs.flatMap(({ stdout }) => stdout.split(","));
  expect(drawn).toHaveLength(programs.length * PORTS);
  expect(new Set(drawn).size).toBe(drawn.length);
});
