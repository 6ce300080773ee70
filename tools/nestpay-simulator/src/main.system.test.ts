import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { auth, credentials, readAnswer, requestXml, STORE_KEY } from "../test/test-bank.ts";

let folder: string;
let ledgerFile: string;
const started: Started[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nestpay-process-"));
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
  const answered: { orderId: string; transactionId: string }[] = [];
  const firstHundred = Promise.withResolvers<void>();
  const workload = Array.from({ length: 8 }, async (_, worker) => {
    for (let count = 0; ; count += 1) {
      const orderId = `w${worker}-${count}`;
      const { TransId = "" } = await ask(first, auth(orderId));
      answered.push({ orderId, transactionId: TransId });
      if (count === 5 && worker === 0) await fetch(`${first.url}/business-day/close`, { method: "POST" });
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
        const { orderId, transactionId } = JSON.parse(line) as (typeof answered)[number];
        return [orderId, transactionId];
      }),
  );
  for (const { orderId, transactionId } of answered) expect(lines.get(orderId)).toBe(transactionId);
  const again = await ask(second, auth(answered[0]?.orderId ?? ""));
  expect(again["Extra/ERRORCODE"]).toBe("CORE-2507");
});

test("it says where it listens, answers, and has no card data and no secret in its log or its ledger", async () => {
  const simulator = await start();
  expect((await fetch(`${simulator.url}/livez`)).status).toBe(200);
  expect((await fetch(`${simulator.url}/nothing`)).status).toBe(404);
  await ask(simulator, auth("o", { Cvv2Val: "987" }));
  await fetch(`${simulator.url}/fim/api`, { method: "POST", body: "<CC5Request><Number>4355084355084358" });
  simulator.process.kill("SIGTERM");
  expect(await once(simulator.process, "exit")).toEqual([0, null]);
  const log = simulator.output();
  expect(JSON.parse(log.split("\n")[0] ?? "")).toMatchObject({
    level: "info",
    msg: "listening",
    url: simulator.url,
  });
  const ledger = await readFile(ledgerFile, "utf8");
  expect(ledger).toContain("435508******4358");
  expect(log + ledger).not.toMatch(/4355084355084358|"987"|s3cret-pass|TEST1234/);
});

test("a faulty environment is reported in a log line, with exit code 1", async () => {
  const child = spawnSimulator({ NESTPAY_SIMULATOR_PORT: "http" });
  const [exitCode] = (await once(child.process, "exit")) as [number];
  expect(exitCode).toBe(1);
  expect(JSON.parse(child.output())).toMatchObject({
    level: "error",
    msg: expect.stringContaining("NESTPAY_SIMULATOR_PORT"),
  });
});

type Started = { process: ChildProcess; url: string; output(): string };

function spawnSimulator(environment: Record<string, string>): Omit<Started, "url"> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts")], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString("utf8")));
  return { process: child, output: () => output };
}

async function start(): Promise<Started> {
  const { ClientId: clientId, Name: name, Password: password } = credentials;
  const child = spawnSimulator({
    NESTPAY_SIMULATOR_LEDGER_FILE: ledgerFile,
    NESTPAY_SIMULATOR_MERCHANTS: JSON.stringify([{ clientId, name, password, storeKey: STORE_KEY }]),
    PATH: process.env["PATH"] ?? "",
  });
  const simulator = { ...child, url: "" };
  started.push(simulator);
  await expect.poll(child.output).toContain("\n");
  simulator.url = (JSON.parse(child.output().split("\n")[0] ?? "") as { url: string }).url;
  return simulator;
}

async function ask(simulator: Started, fields: Record<string, string | null>) {
  const body = requestXml({ ...credentials, ...fields });
  return readAnswer(await fetch(`${simulator.url}/fim/api`, { method: "POST", body }));
}
