import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";

const lifecycle = join(import.meta.dirname, "lifecycle.ts");

/** Runs a service whose start is `start`, and resolves to its exit code and what it wrote to stderr. */
async function run(start: string): Promise<{ code: number; errors: string }> {
  const program = `import { runService } from ${JSON.stringify(lifecycle)};
    setInterval(() => {}, 1_000);
    await runService("test", async () => { ${start}; return { stop: async () => {} }; });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => (errors += String(chunk)));
  const [code] = (await once(child, "close")) as [number];
  return { code, errors };
}

const STOP = 'setImmediate(() => process.kill(process.pid, "SIGTERM"))';

test("in a service no member of parsed JSON becomes a prototype", async () => {
  const pollute = `const target = Object.assign({}, JSON.parse('{"__proto__": {"isAdmin": true}}'));
    console.error(String(target.isAdmin), "__proto__" in Object.prototype)`;
  expect(await run(`${pollute}; ${STOP}`)).toEqual({ code: 0, errors: "undefined false\n" });
});

test("a service that hears SIGTERM stops and exits 0", async () => {
  expect(await run(STOP)).toEqual({ code: 0, errors: "" });
});

test.each([
  ["a rejection", 'Promise.reject(new Error("nobody waits"))'],
  ["an exception", 'setImmediate(() => { throw new Error("nobody catches") })'],
])("%s that nobody handles ends the process with 1", async (_case, bug) => {
  expect((await run(bug)).code).toBe(1);
});
