import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { eventually, ProcessTree } from "../support/index.ts";
import { beforeEach, expect, onTestFinished, test } from "vitest";

/** Runs scripts/run.mjs in a repository of its own, where nothing is installed and npm is a stand-in. */
let root: string;
const scripts = resolve(import.meta.dirname, "..", "..", "scripts");

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "holdfast run-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, "scripts"));
  for (const name of ["run.mjs", "lock-stamp.mjs"]) {
    await copyFile(join(scripts, name), join(root, "scripts", name));
  }
  await writeFile(join(root, "package-lock.json"), "{}");
  await writeFile(join(root, "npm.mjs"), NPM);
  await writeFile(join(root, "program.mjs"), PROGRAM);
});

const NPM = `
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
const [command, option] = process.argv.slice(2);
if (process.env.NPM_FAILS) process.exit(7);
appendFileSync("npm-calls", [command, option].join(" ") + ";");
if (command === "ci") rmSync("node_modules", { recursive: true, force: true });
mkdirSync("node_modules/.bin", { recursive: true });
if (command === "ci") {
  symlinkSync(process.execPath, "node_modules/.bin/node");
  symlinkSync("../../program.mjs", "node_modules/.bin/command");
}
if (option !== "--omit=dev") {
  mkdirSync("node_modules/vitest");
  writeFileSync("node_modules/vitest/package.json", "{}");
}
if (process.env.NPM_WAITS) setTimeout(() => {}, Number(process.env.NPM_WAITS));
`;
const PROGRAM = `
const stays = process.argv[2] === "stay";
if (stays) process.once("SIGTERM", () => process.exit(3));
console.log(JSON.stringify({ pid: process.pid, args: process.argv.slice(2) }));
if (stays) setInterval(() => {}, 1_000);
else process.exit(5);
`;

function run(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["scripts/run.mjs", ...args], {
    cwd: root,
    env: { ...process.env, npm_execpath: join(root, "npm.mjs"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const tree = new ProcessTree(child.pid!);
  onTestFinished(() => tree.running().forEach((pid) => process.kill(pid, "SIGKILL")));
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += String(chunk)));
  child.stderr.on("data", (chunk) => (output.stderr += String(chunk)));
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  const said = () => JSON.parse(output.stdout) as { pid: number; args: string[] };
  return { child, tree, output, ended, said };
}

test("what is locked is installed once; after that the program is the process that npm has started", async () => {
  const first = run(["./program.mjs", "--flag", "a b"]);
  expect(await first.ended).toEqual({ code: 5, signal: null });
  expect(first.output.stderr).toContain("installing dependencies");
  expect(first.said().args).toEqual(["--flag", "a b"]);

  const second = run(["command", "again"]);
  expect(await second.ended).toEqual({ code: 5, signal: null });
  expect(second.output.stderr).toBe("");
  expect(second.said()).toEqual({ pid: second.child.pid, args: ["again"] });
});

test("another lock is installed anew", async () => {
  await run(["./program.mjs"]).ended;
  await writeFile(join(root, "package-lock.json"), '{"changed":true}');
  const changed = run(["./program.mjs"]);
  await changed.ended;
  expect(changed.output.stderr).toContain("installing dependencies");
});

test("the product is installed without the packages for development, which are added for another program", async () => {
  const calls = async (...args: string[]) => {
    expect(await run(args).ended).toEqual({ code: 5, signal: null });
    return await readFile(join(root, "npm-calls"), "utf8");
  };
  expect(await calls("--product", "command")).toBe("ci --omit=dev;");
  expect(await calls("--product", "command")).toBe("ci --omit=dev;");
  expect(await calls("command")).toBe("ci --omit=dev;install --no-save;");
  expect(await calls("--product", "command")).toBe("ci --omit=dev;install --no-save;");
});

test("an installation says every few seconds that it goes on", async () => {
  const first = run(["--product", "command"], { NPM_WAITS: "6000" });
  await first.ended;
  expect(first.output.stderr).toMatch(/holdfast: installing, \d+ packages after \d+ s\n/);
});

test("where npm fails, nothing runs and the next time it is tried again", async () => {
  const failed = run(["./program.mjs"], { NPM_FAILS: "1" });
  expect(await failed.ended).toEqual({ code: 1, signal: null });
  expect(failed.output).toEqual({ stdout: "", stderr: expect.stringContaining("npm ci failed") });
  expect(await run(["./program.mjs"]).ended).toEqual({ code: 5, signal: null });
});

test.each(["with", "without"])(
  "SIGTERM ends the program in its own way, %s an installation before it",
  async (which) => {
    if (which === "without") await run(["./program.mjs"]).ended;
    const { child, ended, said, tree } = run(["./program.mjs", "stay"]);
    await eventually(said);
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 3, signal: null });
    expect(tree.running()).toEqual([]);
  },
);

test("the program does not outlive the process that has installed for it", async () => {
  const { child, said, tree } = run(["./program.mjs", "stay"]);
  await eventually(said);
  expect(said().pid).not.toBe(child.pid);
  expect(tree.running()).toHaveLength(2);
  child.kill("SIGKILL");
  await eventually(() => expect(tree.running()).toEqual([]));
});
