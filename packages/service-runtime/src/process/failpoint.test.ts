import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { armFailpoints, failpoint, FailpointSettingError, parseFailpoints } from "./failpoint.ts";

test.each([
  "",
  "payments.after_claim",
  "payments.after_claim:explode",
  "nowhere:kill",
  "payments.after_claim:delay",
])("a setting that names nothing is refused: %j", (setting) => {
  expect(() => parseFailpoints(setting)).toThrow(FailpointSettingError);
});

const program = `
  const { failpoint } = await import(${JSON.stringify(new URL("failpoint.ts", import.meta.url).href)});
  await failpoint("payments.after_claim");
  console.log("first");
  await failpoint("payments.after_claim");
  console.log("second");
`;

async function run(env: Record<string, string>) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...process.env, ...env },
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const [, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { output: output.trim().split("\n"), signal };
}

test("a process dies at the hit that was named, and at no other", async () => {
  const died = await run({ FAILPOINTS: "payments.after_claim:kill@2", NODE_ENV: "test" });
  expect(died).toEqual({ output: ["first"], signal: "SIGKILL" });
});

test("in production the setting does nothing", async () => {
  const lived = await run({ FAILPOINTS: "payments.after_claim:kill", NODE_ENV: "production" });
  expect(lived).toEqual({ output: ["first", "second"], signal: null });
});

test("what is held goes on when the point is disarmed", async () => {
  const hits = armFailpoints("payments.after_claim:hold@1");
  let passed = 0;
  const held = failpoint("payments.after_claim").then(() => passed++);
  await failpoint("payments.after_claim");
  expect([hits("payments.after_claim"), passed]).toEqual([2, 0]);
  armFailpoints(undefined);
  await held;
  expect(passed).toBe(1);
});

test("armed within a process, a point lets nothing past until it is disarmed", async () => {
  armFailpoints("payments.after_claim:hang@1");
  let passed = 0;
  void failpoint("payments.after_claim").then(() => passed++);
  await failpoint("payments.after_claim");
  armFailpoints(undefined);
  await failpoint("payments.after_claim");
  expect(passed).toBe(0);
});
