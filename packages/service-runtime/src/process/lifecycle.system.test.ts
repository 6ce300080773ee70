import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

/** The settings that every service needs. */
const ENVIRONMENT = {
  PATH: process.env["PATH"],
  // The place where `npm test` keeps compiled code: without it each start would compile the package again.
  ...(process.env["NODE_COMPILE_CACHE"] && { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }),
  HEALTH_PORT: "0",
  DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing",
  NATS_URL: "nats://127.0.0.1:1",
  // After a rollback the newer version's settings are still there.
  ALLOW_PLAINTEXT: "a-newer-versions-api",
  SETTING_OF_A_NEWER_VERSION: "on",
};

/** A process whose service starts with this source text, or that runs another program. */
function run(
  start: string,
  program = `void runService({ name: "test", config: z.object(commonSettings), start: async (_config, log) => { ${start} } });`,
) {
  const script = `
    import { commonSettings, defineService, runService, runServices } from "@holdfast/service-runtime";
    import { z } from "zod";
    const alive = () => setInterval(() => {}, 1_000);
    ${program}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "ignore"],
    env: ENVIRONMENT,
  });
  const exited = once(child, "exit");
  let output = "";
  const printed = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      output += String(chunk);
      if (output.includes("ready") || output.includes('"started"')) resolve();
    });
  });
  return { child, exited, printed, output: () => output };
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
  for (const [stop, code, last] of [
    ["process.stdout.write(''); clearInterval(timer);", 0, '"msg":"stopped"}\n'],
    ["throw new Error('no')", 1, '"msg":"could not stop cleanly"}\n'],
  ] as const) {
    const { child, exited, printed, output } = run(
      `const timer = alive(); return { stop: async () => { ${stop} } };`,
    );
    await printed;
    child.kill("SIGTERM");
    const closed = once(child.stdout, "close");
    expect(await exited).toEqual([code, null]);
    await closed;
    expect(output()).toMatch(new RegExp(`${last}$`));
    expect(output()).toContain(
      "ALLOW_PLAINTEXT names a-newer-versions-api, which this version does not know",
    );
  }
});

test("several services of one process start together, and all are drained before it ends with 0", async () => {
  const { child, exited, printed, output } = run(
    "",
    `const service = (name) => defineService({ name, config: z.object(commonSettings), start: async (config, log) => {
       const timer = alive();
       log.info({ count: config.DATABASE_CONNECTIONS_MAX }, "serving");
       return { stop: async () => { clearInterval(timer); log.info("drained"); } };
     } });
     void runServices([["first", "5"], ["second", "6"]].map(([name, DATABASE_CONNECTIONS_MAX]) =>
       ({ service: service(name), env: { ...process.env, DATABASE_CONNECTIONS_MAX } })));`,
  );
  await printed;
  child.kill("SIGTERM");
  const closed = once(child.stdout, "close");
  expect(await exited).toEqual([0, null]);
  await closed;
  const lines = output()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { service: string; msg: string; count?: number });
  expect(lines.map(({ service, msg, count }) => [service, msg, count ?? ""].join(" ").trim())).toEqual([
    "holdfast ALLOW_PLAINTEXT names a-newer-versions-api, which this version does not know",
    "first serving 5",
    "second serving 6",
    "holdfast started",
    "holdfast draining",
    "first drained",
    "second drained",
    "holdfast stopped",
  ]);
});

test("one service that cannot drain does not cut off what the others have under way", async () => {
  // The work is a program of its own that takes longer than the failure of the other program.
  const { child, exited, printed, output } = run(
    "",
    `import { execFile } from "node:child_process";
     import { promisify } from "node:util";
     const service = (name, stop) => defineService({ name, config: z.object(commonSettings), start: async (_config, log) => {
       const timer = alive();
       return { stop: async () => { await stop(); clearInterval(timer); log.info("drained"); } };
     } });
     const work = () => promisify(execFile)(process.execPath, ["-e", ""]);
     void runServices([["broken", () => { throw new Error("no"); }], ["busy", work]].map(([name, stop]) =>
       ({ service: service(name, stop), env: process.env })));`,
  );
  await printed;
  child.kill("SIGTERM");
  const closed = once(child.stdout, "close");
  expect(await exited).toEqual([1, null]);
  await closed;
  expect(output()).toMatch(/"service":"busy".*"msg":"drained"}\n.*"msg":"could not stop cleanly"}\n$/);
});

// The last line is written, or fails, at any of the moments of an end.
test.each([
  ["nothing", ""],
  ["a line", "console.log('x');"],
  ["a fatal line", "log.fatal('x');"],
])("one whose log nobody reads any more ends all the same, with %s before its end", async (_case, last) => {
  const { child, exited, printed } = run(
    `const timer = alive(); return { stop: async () => { clearInterval(timer); ${last} } };`,
  );
  await printed;
  child.stdout.destroy();
  child.kill("SIGTERM");
  // The process ends by itself although its log lines failed.
  expect(await exited).toEqual([expect.any(Number), null]);
});

/** Runs a service whose start is `start`, and resolves to its exit code and its output on stderr. */
async function runToEnd(start: string): Promise<{ code: number; errors: string }> {
  const program = `import { commonSettings, runService } from "@holdfast/service-runtime";
     import { z } from "zod";
    setInterval(() => {}, 1_000);
    await runService({ name: "test", config: z.object(commonSettings),
      start: async () => { ${start}; return { stop: async () => {} }; } });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "ignore", "pipe"],
    cwd: import.meta.dirname,
    env: ENVIRONMENT,
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
  expect(await runToEnd(`${pollute}; ${STOP}`)).toEqual({ code: 0, errors: "undefined false\n" });
});

test("a service that hears SIGTERM stops and exits 0", async () => {
  expect(await runToEnd(STOP)).toEqual({ code: 0, errors: "" });
});

test.each([
  ["a rejection", 'Promise.reject(new Error("nobody waits"))'],
  ["an exception", 'setImmediate(() => { throw new Error("nobody catches") })'],
])("%s that nobody handles ends the process with 1", async (_case, bug) => {
  expect((await runToEnd(bug)).code).toBe(1);
});
