// The PHP of docs/merchant/php-and-dotnet.md, and of the reference, as it stands there, against the whole product.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { signWebhook, signWebhookV2 } from "@holdfast/webhook-signature";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { allowEndpointChanges, makeRecords, readSamples, removeEndpoints } from "../e2e/reference-samples.ts";
import { runNpmStart, type StartedByNpm } from "../e2e/run-npm-start.ts";
import { eventually, startLedgerReceiver } from "../support/index.ts";

const guide = readFileSync(
  resolve(import.meta.dirname, "..", "..", "docs", "merchant", "php-and-dotnet.md"),
  "utf8",
);
/** The files in the order of the guide, under the guide's names. */
const FILES = ["holdfast.php", "pay.php", "webhook.php"];

let started: StartedByNpm;
let dir: string;
beforeAll(async () => {
  const blocks = [...guide.matchAll(/^```php\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  expect(blocks).toHaveLength(FILES.length);
  dir = await mkdtemp(join(tmpdir(), "holdfast-php-"));
  for (const [index, file] of FILES.entries()) {
    expect(guide).toContain(`\`${file}\``);
    writeFileSync(join(dir, file), blocks[index]!);
  }
  started = await runNpmStart([]);
});
afterAll(async () => {
  await started?.cleanUp();
  await rm(dir, { recursive: true, force: true });
});

async function php(file: string, { gatewayUrl, merchants } = started.file): Promise<string> {
  const { apiKey, apiSecret } = merchants[0]!;
  const env = { ...process.env, GATEWAY: gatewayUrl, API_KEY: apiKey, API_SECRET: apiSecret };
  const { stdout } = await promisify(execFile)("php", [file], { cwd: dir, env });
  return stdout;
}

/** The guide's program with another key and one value replaced. */
async function payWith(key: string, from: string, to: string): Promise<string> {
  const code = readFileSync(join(dir, "pay.php"), "utf8").replace("php-order-1", key);
  expect(code).toContain(from);
  writeFileSync(join(dir, "changed.php"), code.replace(from, to));
  return await php("changed.php");
}

test("a payment is charged once however often the program runs, and its other ends are distinguished", async () => {
  const first = await php("pay.php");
  expect(first).toMatch(/^charged [0-9a-f-]{36}\n$/);
  expect(await php("pay.php")).toBe(first);
  expect(await payWith("php-2", "4111111111111111", "4000000000009995")).toBe("declined 51\n");
  expect(await payWith("php-3", "'TRY'", "'try'")).toBe("refused validation_failed\n");
  expect(await payWith("php-4", "'/api/payment'", "'/api/nothing'")).toBe("refused route_not_found\n");
});

test("a gateway that is not there leaves the order open, under its key", async () => {
  const closed = { ...started.file, gatewayUrl: "http://127.0.0.1:1" };
  expect(await php("pay.php", closed)).toBe("unknown php-order-1\n");
});

test("a webhook of the gateway is accepted with the secret, and what was changed, or is old, is not", async () => {
  const { certFile, keyFile } = started.file.receiver;
  const receiver = await startLedgerReceiver({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  onTestFinished(() => receiver.close());
  const secret = await turnWebhooksOn(receiver.url);
  expect(await payWith("php-5", "order-php", "order-webhook")).toMatch(/^charged/);
  await eventually(() => receiver.ledger.length > 0);
  const { body, headers } = receiver.ledger[0]!;
  const sent = Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith("x-")),
  ) as Record<string, string>;

  const server = await startPhp(`whs_old,${secret}`);
  const post = async (given: Record<string, string>, bytes: Buffer) =>
    (await fetch(server.url, { method: "POST", headers: given, body: new Uint8Array(bytes) })).status;
  expect(await post(sent, body)).toBe(200);
  await eventually(() => server.output().includes(`${sent["x-event-id"]} `));
  expect(await post(sent, Buffer.concat([body, Buffer.from(" ")]))).toBe(400);
  const signedAt = (time: number, by = secret) => ({
    ...sent,
    "x-request-time": `${time}`,
    "x-request-signature": signWebhook(by, `${time}`, body),
    "x-request-signature-v2": signWebhookV2(
      by,
      { time: `${time}`, eventId: sent["x-event-id"]!, eventType: sent["x-event-type"]! },
      body,
    ),
  });
  expect(await post(signedAt(Date.now()), body)).toBe(200);
  expect(await post(signedAt(Date.now() - 400_000), body)).toBe(400);
  expect(await post(signedAt(Date.now(), "whs_other"), body)).toBe(400);
  expect(await post({ ...signedAt(Date.now()), "x-event-id": "another" }, body)).toBe(400);
  expect(await post({ ...signedAt(Date.now()), "x-event-type": "webhook.test" }, body)).toBe(400);
  const {
    "x-request-signature": signature,
    "x-request-signature-v2": second,
    ...unsigned
  } = signedAt(Date.now());
  expect(await post(unsigned, body)).toBe(400);
  const next = { "x-request-signature-next": signature, "x-request-signature-v2-next": second };
  expect(await post({ ...unsigned, ...next }, body)).toBe(200);
});

test("every example of the reference is carried out", async () => {
  await allowEndpointChanges(started.file);
  const samples = (await readSamples(started.file)).filter(({ language }) => language === "php");
  expect(samples.length).toBeGreaterThan(20);
  for (const sample of samples) {
    writeFileSync(join(dir, "example.php"), sample.code);
    const env = { ...process.env, ...(await makeRecords(started.file, sample)) };
    const { stdout } = await promisify(execFile)("php", ["example.php"], { cwd: dir, env });
    await removeEndpoints(started.file);
    expect(stdout, sample.code).toMatch(/^2\d\d /);
  }
});

/** @returns the secret. */
async function turnWebhooksOn(url: string): Promise<string> {
  const { operatorUrl, operators, merchants } = started.file;
  const answer = await fetch(`${operatorUrl}/operator/merchants/${merchants[0]!.merchantId}/webhook`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${operators[0]!.token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ url }),
  });
  return ((await answer.json()) as { secret: string }).secret;
}

/** PHP's own server with the guide's receiver, on a free port. */
async function startPhp(secrets: string): Promise<{ url: string; output(): string }> {
  const server = spawn("php", ["-S", "127.0.0.1:0", "webhook.php"], {
    cwd: dir,
    env: { ...process.env, WEBHOOK_SECRET: secrets },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(async () => {
    server.kill();
    await once(server, "exit");
  });
  let output = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const url = await eventually(() => /\((http:\S+)\) started/.exec(output)?.[1] ?? false);
  return { url, output: () => output };
}
