import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import type { LedgerLine } from "./bank/ledger-line.ts";
import { ConfigError } from "@holdfast/bank-simulator/core";
import { readConfig } from "./config.ts";
import { card, paymentBody, Shop, type Answer } from "./test/shop.ts";

let folder: string;
let ledgerFile: string;
const started: Simulator[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "iyzico-process-"));
  ledgerFile = join(folder, "ledger.ndjson");
});
afterEach(async () => {
  for (const { process: child } of started.splice(0)) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  await rm(folder, { recursive: true });
});

test("every answered payment and 3-D Secure start outlives kill -9", async () => {
  const first = await start();
  const paid: Answer[] = [];
  const begun: Answer[] = [];
  const firstHundred = Promise.withResolvers<void>();
  const workload = Array.from({ length: 8 }, async (_, worker) => {
    for (let count = 0; ; count += 1) {
      const conversationId = `w${worker}-${count}`;
      paid.push(await first.shop.succeed("/payment/auth", paymentBody({ conversationId })));
      const body = paymentBody({ conversationId, callbackUrl: "https://shop.test/return" });
      begun.push(await first.shop.succeed("/payment/3dsecure/initialize", body));
      if (begun.length === 50) firstHundred.resolve();
    }
  });
  await firstHundred.promise;
  first.process.kill("SIGKILL");
  await Promise.allSettled(workload);

  const second = await start();
  const text = await (await fetch(`${second.url}/ledger`)).text();
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as LedgerLine);
  const orders = new Map(lines.map(({ paymentId, orderId }) => [paymentId, orderId]));
  for (const { paymentId = "", conversationId } of paid) expect(orders.get(paymentId)).toBe(conversationId);
  for (const { paymentId } of begun.slice(0, 50)) {
    const detail = await second.shop.succeed("/payment/detail", { paymentId });
    expect(detail["paymentStatus"]).toBe("INIT_THREEDS");
  }
  const next = await second.shop.succeed("/payment/auth", paymentBody());
  expect([...paid, ...begun].map(({ paymentId }) => paymentId)).not.toContain(next.paymentId);
});

test("it says where it listens, ends promptly whatever is under way, and logs no card data", async () => {
  const simulator = await start();
  const body = paymentBody({ paymentCard: card("4000000000000119", { cvc: "987" }) });
  const held = simulator.shop.post("/payment/auth", body).catch(() => "cut");
  await simulator.shop.succeed("/payment/auth", paymentBody());
  await simulator.shop.post("/payment/auth", '{"cardNumber": 4111111111111111, "cvc": 987');
  await expect.poll(async () => await readFile(ledgerFile, "utf8")).toContain("400000******0119");
  simulator.process.kill("SIGTERM");
  expect(await once(simulator.process, "exit")).toEqual([0, null]);
  expect(await held).toBe("cut");
  expect(JSON.parse(simulator.output().split("\n")[0] ?? "")).toMatchObject({
    level: "info",
    msg: "listening",
    url: simulator.url,
  });
  const files = await readFile(ledgerFile, "utf8");
  expect(simulator.output() + files).not.toMatch(/4000000000000119|4111111111111111|"987"|sandbox-secret/);
});

test.each([
  ["ledger", "/payment/auth", paymentBody()],
  ["file of events", "/payment/3dsecure/initialize", paymentBody({ callbackUrl: "https://shop.test/" })],
])("a %s that cannot be written ends it with exit code 1", async (_name, path, body) => {
  // The shell's file size limit of one block stands for a full disk.
  const simulator = await start(["sh", "-c", 'ulimit -f 1; exec "$0" "$@"']);
  const exited = once(simulator.process, "exit");
  for (let count = 0; simulator.process.exitCode === null && count < 100; count += 1) {
    await simulator.shop.post(path, body).catch(() => undefined);
  }
  expect(await exited).toEqual([1, null]);
  expect(simulator.output()).toContain("the ledger cannot be written");
});

test("a faulty environment is logged in a line, without a key of it, with exit code 1", async () => {
  const child = spawnSimulator({
    IYZICO_SIMULATOR_MERCHANTS: '[{"apiKey": "x", "secretKey": "top secret"}]',
  });
  const [exitCode] = (await once(child.process, "exit")) as [number];
  expect(exitCode).toBe(1);
  expect(JSON.parse(child.output())).toMatchObject({
    level: "error",
    msg: expect.stringContaining("IYZICO_SIMULATOR_MERCHANTS"),
  });
  expect(child.output()).not.toContain("top secret");
});

test("the environment has a default for everything but the ledger's file", () => {
  expect(readConfig({ IYZICO_SIMULATOR_LEDGER_FILE: "ledger.ndjson" })).toMatchObject({
    host: "127.0.0.1",
    port: 0,
    latenessMs: 17_000,
    merchants: [{ apiKey: "sandbox-apikey", merchantId: "1000001" }],
    webhookDelayMs: 10_000,
    webhookRetryMs: 600_000,
    modes: { failureHttpStatus: 200, decimals: "zeros", limitPerMinute: null },
  });
});

test("the environment sets everything", () => {
  const merchant = {
    apiKey: "shop-key",
    secretKey: "shop-secret",
    merchantId: "7",
    webhookUrl: "http://127.0.0.1:9/iyzico",
  };
  expect(
    readConfig({
      IYZICO_SIMULATOR_LEDGER_FILE: "ledger.ndjson",
      IYZICO_SIMULATOR_HOST: "0.0.0.0",
      IYZICO_SIMULATOR_PORT: "8085",
      IYZICO_SIMULATOR_CONNECTIONS_MAX: "5",
      IYZICO_SIMULATOR_HANG: "2s",
      IYZICO_SIMULATOR_LATENESS: "30s",
      IYZICO_SIMULATOR_PUBLIC_URL: "https://bank.test/",
      IYZICO_SIMULATOR_MERCHANTS: JSON.stringify([merchant]),
      IYZICO_SIMULATOR_WEBHOOK_DELAY: "1s",
      IYZICO_SIMULATOR_WEBHOOK_RETRY: "2s",
      IYZICO_SIMULATOR_MODES: '{"failureHttpStatus": 400}',
    }),
  ).toMatchObject({
    host: "0.0.0.0",
    port: 8_085,
    connectionsMax: 5,
    hangMs: 2_000,
    latenessMs: 30_000,
    publicUrl: "https://bank.test",
    merchants: [merchant],
    webhookDelayMs: 1_000,
    webhookRetryMs: 2_000,
    modes: { failureHttpStatus: 400, types: "usual" },
  });
});

test.each([
  ["IYZICO_SIMULATOR_MERCHANTS", "no list"],
  ["IYZICO_SIMULATOR_MERCHANTS", "[]"],
  ["IYZICO_SIMULATOR_MERCHANTS", merchantList(["same", "same"], ["1", "2"])],
  ["IYZICO_SIMULATOR_MERCHANTS", merchantList(["first", "second"], ["1", "1"])],
  ["IYZICO_SIMULATOR_MERCHANTS", merchantList(["a:b&c"], ["1"])],
  ["IYZICO_SIMULATOR_MODES", "{"],
  ["IYZICO_SIMULATOR_MODES", '{"answers": "left"}'],
])("%s may not be %s", (name, value) => {
  const environment = { IYZICO_SIMULATOR_LEDGER_FILE: "ledger.ndjson", [name]: value };
  expect(() => readConfig(environment)).toThrow(ConfigError);
});

function merchantList(apiKeys: string[], merchantIds: string[]): string {
  return JSON.stringify(
    apiKeys.map((apiKey, index) => ({ apiKey, secretKey: "secret", merchantId: merchantIds[index] })),
  );
}

type Simulator = { process: ChildProcess; url: string; shop: Shop; output(): string };

function spawnSimulator(environment: Record<string, string>, wrapper: string[] = []) {
  const [command, ...args] = [...wrapper, process.execPath, join(import.meta.dirname, "main.ts")];
  const child = spawn(command, args, {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString("utf8")));
  return { process: child, output: () => output };
}

async function start(wrapper: string[] = []): Promise<Simulator> {
  // An unanswered call is held for longer than a test may take.
  const child = spawnSimulator(
    {
      IYZICO_SIMULATOR_LEDGER_FILE: ledgerFile,
      IYZICO_SIMULATOR_HANG: "60m",
      PATH: process.env["PATH"] ?? "",
    },
    wrapper,
  );
  const simulator = { ...child, url: "", shop: new Shop("") };
  started.push(simulator);
  await expect.poll(child.output).toContain("\n");
  simulator.url = (JSON.parse(child.output().split("\n")[0] ?? "") as { url: string }).url;
  simulator.shop = new Shop(simulator.url);
  return simulator;
}
