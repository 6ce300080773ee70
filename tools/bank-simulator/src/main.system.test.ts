import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
let ledgerFile: string;
const started: Simulator[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "simulator-process-"));
  ledgerFile = join(folder, "ledger.ndjson");
});
afterEach(async () => {
  for (const { process: child } of started.splice(0)) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  await rm(folder, { recursive: true });
});

test("every answered operation outlives kill -9", async () => {
  const first = await start();
  const answered: { reference: string; externalTransactionId: string }[] = [];
  const firstHundred = Promise.withResolvers<void>();
  const workload = Array.from({ length: 16 }, async (_, worker) => {
    for (let count = 0; ; count += 1) {
      const body = cardBody(`w${worker}-${count}`);
      answered.push((await post(first, "/v1/sale", body)) as (typeof answered)[number]);
      if (answered.length === 100) firstHundred.resolve();
    }
  });
  await firstHundred.promise;
  first.process.kill("SIGKILL");
  await Promise.allSettled(workload);

  const second = await start();
  const text = await (await fetch(`${second.url}/ledger`)).text();
  const lines = new Map(
    text
      .trimEnd()
      .split("\n")
      .map((line) => {
        const { reference, externalTransactionId } = JSON.parse(line) as (typeof answered)[number];
        return [reference, externalTransactionId];
      }),
  );
  for (const { reference, externalTransactionId } of answered) {
    expect(lines.get(reference)).toBe(externalTransactionId);
  }
  const again = await post(second, "/v1/sale", cardBody(answered[0]?.reference ?? ""));
  expect(again).toEqual(answered[0]);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends it promptly whatever is held, with exit code 0",
  async (signal) => {
    const simulator = await start();
    const held = ["4000000000000119", "4000000000000259"].map((pan, index) =>
      post(simulator, "/v1/sale", cardBody(`held-${index}`, pan)).catch(() => "cut"),
    );
    await post(simulator, "/v1/sale", cardBody("answered"));
    simulator.process.kill(signal);
    expect(await once(simulator.process, "exit")).toEqual([0, null]);
    expect(await Promise.all(held)).toEqual(["cut", "cut"]);
  },
);

test("it says where it listens, and no card data in its log or its ledger", async () => {
  const simulator = await start();
  await post(simulator, "/v1/sale", cardBody("r"));
  await fetch(`${simulator.url}/v1/sale`, { method: "POST", body: '{"pan": 4111111111111111, "cvv": 987' });
  simulator.process.kill("SIGTERM");
  await once(simulator.process, "exit");
  const log = simulator.output();
  expect(JSON.parse(log.split("\n")[0] ?? "")).toMatchObject({
    msg: "listening",
    port: Number(new URL(simulator.url).port),
  });
  const ledger = await readFile(ledgerFile, "utf8");
  expect(ledger).toContain("411111******1111");
  expect(log + ledger).not.toMatch(/4111111111111111|"987"|cvv/);
});

test("a ledger that cannot be written ends it with exit code 1", async () => {
  // The shell's file size limit of one block simulates a full disk.
  const simulator = await start(["sh", "-c", 'ulimit -f 1; exec "$0" "$@"']);
  const exited = once(simulator.process, "exit");
  for (let count = 0; simulator.process.exitCode === null && count < 100; count += 1) {
    await post(simulator, "/v1/sale", cardBody(`r-${count}`)).catch(() => undefined);
  }
  expect(await exited).toEqual([1, null]);
  expect(simulator.output()).toContain("the ledger cannot be written");
});

test("a faulty environment is told in a log line, with exit code 1", async () => {
  const child = spawnSimulator({ SIMULATOR_PORT: "http" });
  const [exitCode] = (await once(child.process, "exit")) as [number];
  expect(exitCode).toBe(1);
  expect(JSON.parse(child.output())).toMatchObject({
    level: "error",
    msg: expect.stringContaining("SIMULATOR_PORT"),
  });
});

type Simulator = { process: ChildProcess; url: string; output(): string };

function spawnSimulator(environment: Record<string, string>, wrapper: string[] = []): Omit<Simulator, "url"> {
  const [command, ...args] = [...wrapper, process.execPath, join(import.meta.dirname, "main.ts"), "sim"];
  const child = spawn(command, args, {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString("utf8")));
  return { process: child, output: () => output };
}

async function start(wrapper: string[] = []): Promise<Simulator> {
  const child = spawnSimulator(
    // An unanswered call is held for longer than a test may take.
    { SIMULATOR_LEDGER_FILE: ledgerFile, SIMULATOR_HANG: "60m", PATH: process.env["PATH"] ?? "" },
    wrapper,
  );
  const simulator = { ...child, url: "" };
  started.push(simulator);
  await expect.poll(child.output).toContain("\n");
  const { port } = JSON.parse(child.output().split("\n")[0] ?? "") as { port: number };
  simulator.url = `http://127.0.0.1:${port}`;
  return simulator;
}

async function post(simulator: Simulator, path: string, body: object): Promise<unknown> {
  return (await fetch(`${simulator.url}${path}`, { method: "POST", body: JSON.stringify(body) })).json();
}

function cardBody(reference: string, pan = "4111111111111111") {
  const card = { pan, expiryMonth: "12", expiryYear: "30", cvv: "987" };
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  return {
    reference,
    amountMinor: 1_000,
    currency: "EUR",
    card,
    cardHolderName: "Ada",
    installmentCount: 1,
    expiresAt,
  };
}
