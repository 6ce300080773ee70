// The command line of `npm run demo`: a merchant's day against a running sandbox, or a temporary one.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { serviceDefinitions, startSandbox, type SandboxFile } from "@holdfast/sandbox";
import { readCommandLine } from "@holdfast/service-runtime/command-line";
import { callLoopbackDirectly } from "@holdfast/service-runtime/proxy-environment";
import { printConsoleWalk } from "./console-walk.ts";
import { DemoError } from "./demo-error.ts";
import { runMerchantDay } from "./merchant-day.ts";

const HELP = `npm run demo -- [--home DIR] [--console]

Walks through one merchant's day and prints each request, answer and webhook. It uses the sandbox that runs in DIR
(default .holdfast, as for npm start). If none is running there, it starts its own and stops it at the end.

With --console it makes a payment and a refund in the sandbox that runs there, and prints who clicks what in the console.
It opens no browser.
`;

export async function runDemo(args: string[]): Promise<void> {
  const line = readCommandLine(args, {
    help: HELP,
    options: { home: { type: "string", default: ".holdfast" }, console: { type: "boolean", default: false } },
  });
  if (!line) return;
  callLoopbackDirectly();
  const { values: options } = line;
  try {
    if (options.console) await walkWhereItRuns(options.home);
    else await runWhereItRuns(options.home);
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    process.stderr.write(`demo: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Uses a running sandbox: a temporary one would be gone before anybody has clicked. */
async function walkWhereItRuns(home: string): Promise<void> {
  const running = await findSandbox(resolve(home));
  if (!running)
    throw new DemoError(`no sandbox runs in ${home}: start one with npm start, and leave it running`);
  await printConsoleWalk(running, (text) => void process.stdout.write(text));
}

async function runWhereItRuns(home: string): Promise<void> {
  const print = (text: string) => void process.stdout.write(text);
  const running = await findSandbox(resolve(home));
  if (running) {
    print(`Using the sandbox in ${home}.\n`);
    return await runMerchantDay(running, print);
  }
  await withOwnSandbox(print);
}

/** The sandbox of that home, if it answers: the file of one that was killed is still there. */
async function findSandbox(home: string): Promise<SandboxFile | undefined> {
  try {
    const file = JSON.parse(await readFile(join(home, "sandbox.json"), "utf8")) as SandboxFile;
    await fetch(file.gatewayUrl, { signal: AbortSignal.timeout(2_000) });
    return file;
  } catch {
    return undefined;
  }
}

async function withOwnSandbox(print: (text: string) => void): Promise<void> {
  print("No sandbox is running there; starting one for this demo.\n");
  const home = await mkdtemp(join(tmpdir(), "holdfast-demo-"));
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
  const starting = startSandbox({ home, portBase: 0, services: serviceDefinitions, stopSignal: stop.signal });
  try {
    const sandbox = await starting;
    await Promise.race([runMerchantDay(sandbox.file, print), sandbox.stopped]);
  } catch (error) {
    // A day fails in any step when its sandbox is stopped.
    if (!stop.signal.aborted) throw error;
  } finally {
    await starting.then((sandbox) => sandbox.stop()).catch(() => {});
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
  // Exits at once: the rest of the day may wait for a webhook.
  if (stop.signal.aborted) process.exit(130);
}
