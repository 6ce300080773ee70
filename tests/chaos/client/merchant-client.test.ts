import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CARDS, type CardName } from "./cards.ts";
import { ClientHistory } from "./client-history.ts";
import { MerchantClient } from "./merchant-client.ts";

let dir: string;
let server: Server;
let handle: RequestListener;
let client: MerchantClient;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-client-"));
  server = createServer((request, response) => handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  client = openClient(PATIENT_MS);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dir, { recursive: true });
});

/** Enough for a busy machine in any case. */
const PATIENT_MS = 60_000;
/** Timeout of requests that get no answer. */
const SILENT_MS = 2_000;

function openClient(timeoutMs: number): MerchantClient {
  return new MerchantClient({
    merchant: { merchantId: "m", apiKey: "key", apiSecret: "the-secret" },
    history: new ClientHistory(join(dir, "history.jsonl")),
    gateways: [{ name: "gateway-1", port: (server.address() as AddressInfo).port }],
    timeoutMs,
  });
}

const order = (card: CardName = "approve_visa") => ({
  orderId: "order-1",
  amount: "12.50",
  currency: "TRY",
  card,
});

test("the amount is sent as it is written, and the answer is kept as it came", async () => {
  const bodies: string[] = [];
  handle = (request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => bodies.push(text));
    request.once("end", () =>
      response.writeHead(201, { "Idempotent-Replayed": "true" }).end('{"amount": 12.5 }'),
    );
  };
  const entry = await client.post(order(), { key: "k" });
  expect(bodies.join("")).toContain('"amount":12.50,');
  expect(entry).toMatchObject({
    status: 201,
    replayed: true,
    body: '{"amount": 12.5 }',
    idempotencyKey: "k",
  });
});

test("no card number, cvv or secret is in the history, not even one that an answer repeats", async () => {
  handle = (_request, response) => response.writeHead(500).end(`{"pan":"${CARDS.approve_amex}"}`);
  for (const card of Object.keys(CARDS) as CardName[]) await client.post(order(card));
  const text = readFileSync(join(dir, "history.jsonl"), "utf8");
  expect(text.match(/\d{12,}/g)).toBeNull();
  expect(text).not.toMatch(/cvv|the-secret/);
  expect(text).toContain('"maskedPan":"378282*****0005","behaviour":"approve_amex"');
});

test("it is known whether anything left when no answer came", async () => {
  handle = (request) => request.socket.resetAndDestroy();
  expect(await client.post(order())).toMatchObject({
    bytesSent: true,
    error: expect.stringContaining("ECONNRESET"),
  });
  handle = () => undefined;
  expect(await openClient(SILENT_MS).post(order())).toMatchObject({
    bytesSent: true,
    error: `no answer in ${SILENT_MS} ms`,
  });
  server.close();
  server.closeAllConnections();
  await once(server, "close");
  expect(await client.post(order())).toMatchObject({
    bytesSent: false,
    error: expect.stringContaining("REFUSED"),
  });
});
