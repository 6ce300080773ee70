import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { localCertificates } from "@holdfast/sandbox/infrastructure";
import { eventually, ProcessTree } from "../support/index.ts";
import { describe, expect, onTestFinished, test } from "vitest";

/** Commands as people and machines start them, by npm, and the ways in which npm's own process ends. */
type Command = { npm: ChildProcess; tree: ProcessTree; output: () => string };

const repository = resolve(import.meta.dirname, "..", "..");
/** A machine that is full of other work starts a command only after minutes. */
const STARTED = { withinMs: 240_000 };

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "holdfast-command-"));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 20 }));
  return home;
}

function runCommand(...args: string[]): Command {
  const npm = spawn("npm", args, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
  const tree = new ProcessTree(npm.pid!);
  onTestFinished(() => tree.running().forEach((pid) => process.kill(pid, "SIGKILL")));
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  return { npm, tree, output: () => output };
}

test("SIGTERM to npm ends npm start in order, with all its servers", async () => {
  const command = runCommand("start", "--", "--home", await newHome(), "--port-base", "0");
  await eventually(() => expect(command.output()).toContain("Holdfast is running."), STARTED);
  expect(await ended(command, "SIGTERM")).toEqual([]);
  expect(command.output()).toContain("holdfast: stopping");
});

/** The death of npm sends nothing: each command notices it by itself. */
describe.each(["SIGTERM", "SIGKILL"] as const)("%s to npm ends", (signal) => {
  test.each([
    ["npm start", async () => ["start", "--", "--home", await newHome(), "--port-base", "0"]],
    ["npm run demo", async () => ["run", "demo", "--", "--home", await newHome()]],
    ["npm run bench", async () => ["run", "bench"]],
    ["npm run chaos", async () => ["run", "chaos", "--", "--seconds", "600"]],
  ])("%s, while its servers start", async (_name, args) => {
    const command = runCommand(...(await args()));
    // npm, the command, and the first of its servers.
    await eventually(() => {
      if (command.tree.running().length < 4) throw new Error(command.output());
    }, STARTED);
    expect(await ended(command, signal)).toEqual([]);
    expect(command.output()).not.toContain("The day is over");
  });

  test("npm run receiver", async () => {
    expect(await ended(await runReceiver(), signal)).toEqual([]);
  });
});

/** The processes left of npm and its children, some time after npm alone got a signal. */
async function ended({ npm, tree }: Command, signal: NodeJS.Signals): Promise<number[]> {
  expect(tree.running().length).toBeGreaterThan(1);
  npm.kill(signal);
  return await eventually(() => (tree.running().length === 0 ? [] : false)).catch(() => tree.running());
}

/** The sandbox's file is enough, since the receiver reads nothing else. */
async function runReceiver(): Promise<Command> {
  const home = await newHome();
  const receiver = await localCertificates(join(home, "certificates"));
  const sandbox = { operatorUrl: "http://127.0.0.1:1", receiver, merchants: [] };
  await writeFile(join(home, "sandbox.json"), JSON.stringify(sandbox));
  const secret = `whs_${"s".repeat(43)}`;
  const command = runCommand("run", "receiver", "--", "--home", home, "--port", "0", "--secret", secret);
  await eventually(() => expect(command.output()).toContain("receiving webhooks on"), STARTED);
  return command;
}
