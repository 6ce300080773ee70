import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { startIyzicoSimulator, type IyzicoSimulator } from "../iyzico-simulator.ts";
import { card, formOf, paymentBody, sandboxKeys, Shop, submit } from "../test/shop.ts";

type Received = { signature: unknown; body: Record<string, unknown> };

let folder: string;
let bank: IyzicoSimulator;
let shop: Shop;
let receiver: Server;
const received: Received[] = [];
/** The statuses of the next answers; 200 when there is none. */
const statuses: number[] = [];

beforeEach(async () => {
  received.length = 0;
  statuses.length = 0;
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Received["body"];
      received.push({ signature: request.headers["x-iyz-signature-v3"], body });
      response.writeHead(statuses.shift() ?? 200, { location: "/elsewhere" }).end();
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  folder = await mkdtemp(join(tmpdir(), "iyzico-webhooks-"));
  await start({});
});
afterEach(async () => {
  await bank.close();
  receiver.closeAllConnections();
  receiver.close();
  await rm(folder, { recursive: true });
});

async function start(options: { webhookRetryMs?: number; latenessMs?: number }): Promise<void> {
  const { port } = receiver.address() as AddressInfo;
  const webhookUrl = `http://127.0.0.1:${port}/iyzico`;
  const merchants = [{ ...sandboxKeys, merchantId: "1000001", webhookUrl }];
  const ledgerFile = join(folder, "ledger.ndjson");
  const waits = { webhookDelayMs: 0, webhookRetryMs: 0, ...options };
  bank = await startIyzicoSimulator({ ledgerFile, merchants, ...waits });
  shop = new Shop(bank.url);
}

test("tells of a payment, signed", async () => {
  const { paymentId } = await shop.succeed("/payment/auth", paymentBody());
  await expect.poll(() => received).toHaveLength(1);
  expect(received).toEqual([
    {
      signature: hmac(`${sandboxKeys.secretKey}API_AUTH${paymentId}shop-pay-1SUCCESS`),
      body: {
        paymentConversationId: "shop-pay-1",
        merchantId: 1_000_001,
        status: "SUCCESS",
        iyziReferenceCode: expect.any(String),
        iyziEventType: "API_AUTH",
        iyziEventTime: expect.any(Number),
        paymentId: Number(paymentId),
        iyziPaymentId: Number(paymentId),
      },
    },
  ]);
});

test("tells of a decline, and of no request that was refused", async () => {
  await shop.post("/payment/auth", paymentBody({ currency: "USD" }));
  await shop.post("/payment/auth", paymentBody({ paymentCard: card("4129111111111111") }));
  await expect.poll(() => received).toHaveLength(1);
  expect(received[0]?.body["status"]).toBe("FAILURE");
});

test("tells of both steps of 3-D Secure, the first of them once", async () => {
  const started = await shop.succeed(
    "/payment/3dsecure/initialize",
    paymentBody({ paymentCard: card("4000000000003055"), callbackUrl: "https://shop.test/return" }),
  );
  const page = formOf(Buffer.from(String(started["threeDSHtmlContent"]), "base64").toString());
  await submit(page.action, page.fields);
  await expect.poll(() => received).toHaveLength(1);
  await submit(page.action, page.fields);
  const { paymentId } = started;
  const end = {
    paymentId,
    paidPrice: "100",
    basketId: "basket-1",
    currency: "TRY",
    conversationId: "shop-pay-1",
  };
  await shop.succeed("/payment/v2/3dsecure/auth", end);
  await expect.poll(() => received).toHaveLength(2);
  expect(received.map(({ body }) => [body["iyziEventType"], body["status"]])).toEqual([
    ["THREE_DS_CALLBACK", "CALLBACK_THREEDS"],
    ["THREE_DS_AUTH", "SUCCESS"],
  ]);
});

test("repeats what was not accepted, three times in all, and follows no redirect", async () => {
  statuses.push(500, 302, 500, 500);
  await shop.succeed("/payment/auth", paymentBody());
  await expect.poll(() => received).toHaveLength(3);
  // A fourth try would come before the webhook of a later payment.
  statuses.length = 0;
  await shop.succeed("/payment/auth", paymentBody({ conversationId: "shop-pay-2" }));
  await expect.poll(() => received).toHaveLength(4);
  expect(received[3]?.body["paymentConversationId"]).toBe("shop-pay-2");
});

test("stops when it was accepted", async () => {
  statuses.push(500);
  await shop.succeed("/payment/auth", paymentBody());
  await expect.poll(() => received).toHaveLength(2);
  await shop.succeed("/payment/auth", paymentBody({ conversationId: "shop-pay-2" }));
  await expect.poll(() => received).toHaveLength(3);
  expect(received[2]?.body["paymentConversationId"]).toBe("shop-pay-2");
});

test("waits between two tries, and ends with the process", async () => {
  await bank.close();
  await start({ webhookRetryMs: 3_600_000 });
  statuses.push(500);
  await shop.succeed("/payment/auth", paymentBody());
  await expect.poll(() => received).toHaveLength(1);
  await shop.succeed("/payment/auth", paymentBody({ conversationId: "shop-pay-2" }));
  await expect.poll(() => received).toHaveLength(2);
  expect(received[1]?.body["paymentConversationId"]).toBe("shop-pay-2");
});

test("comes twice, late, wrongly signed or not at all, as the mode says", async () => {
  await bank.close();
  await start({ latenessMs: 3_600_000 });
  for (const [webhooks, count] of [
    ["off", 0],
    ["late", 0],
    ["twice", 2],
    ["wrong_signature", 3],
  ] as const) {
    await fetch(`${bank.url}/modes`, { method: "PUT", body: JSON.stringify({ webhooks }) });
    await shop.succeed("/payment/auth", paymentBody({ conversationId: webhooks }));
    await expect.poll(() => received).toHaveLength(count);
  }
  expect(received.map(({ body }) => body["paymentConversationId"])).toEqual([
    "twice",
    "twice",
    "wrong_signature",
  ]);
  const [first, second, wrong] = received;
  expect(second).toEqual(first);
  const id = JSON.stringify(wrong?.body["paymentId"]);
  expect(wrong?.signature).toMatch(/^[0-9a-f]{64}$/);
  expect(wrong?.signature).not.toBe(hmac(`${sandboxKeys.secretKey}API_AUTH${id}wrong_signatureSUCCESS`));
});

function hmac(text: string): string {
  return createHmac("sha256", sandboxKeys.secretKey).update(text).digest("hex");
}
