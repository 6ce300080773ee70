import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { card, formOf, paymentBody, sandboxKeys, submit } from "./test/shop.ts";
import { hmac, startTestBank } from "./test/test-bank.ts";

type Received = { signature: unknown; body: Record<string, unknown> };

/** A merchant's server that refuses as many webhooks as `refusals`. */
async function startReceiver() {
  const receiver = { received: [] as Received[], refusals: 0, url: "" };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Received["body"];
      receiver.received.push({ signature: request.headers["x-iyz-signature-v3"], body });
      response.writeHead((receiver.refusals -= 1) >= 0 ? 500 : 200).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/iyzico`;
  return receiver;
}

async function start(options: object = {}) {
  const receiver = await startReceiver();
  const bank = await startTestBank({ webhookDelayMs: 0, webhookRetryMs: 0, ...options });
  await bank.ask("PUT", "/notifications", { merchantId: "1000001", url: receiver.url });
  return { bank, ...receiver, receiver };
}

test("a merchant hears of its payments, signed, and of no request that was refused", async () => {
  const { bank: started, received } = await start();
  await using bank = started;
  await bank.shop.post("/payment/auth", paymentBody({ currency: "USD" }));
  await bank.other.succeed("/payment/auth", paymentBody());
  const { paymentId } = await bank.shop.succeed("/payment/auth", paymentBody());
  await expect.poll(() => received).toHaveLength(1);
  expect(received[0]).toEqual({
    signature: hmac(`${sandboxKeys.secretKey}API_AUTH${paymentId}shop-pay-1SUCCESS`),
    body: {
      paymentConversationId: "shop-pay-1",
      merchantId: 1_000_001,
      status: "SUCCESS",
      iyziReferenceCode: expect.any(String),
      iyziEventType: "API_AUTH",
      iyziEventTime: bank.clock.nowMs,
      paymentId: Number(paymentId),
      iyziPaymentId: Number(paymentId),
    },
  });
  await bank.shop.post("/payment/auth", paymentBody({ paymentCard: card("4129111111111111") }));
  await expect.poll(() => received[1]?.body["status"]).toBe("FAILURE");
});

test("a merchant hears of both steps of 3-D Secure, of the first of them once", async () => {
  const { bank: started, received } = await start();
  await using bank = started;
  const body = paymentBody({
    paymentCard: card("4000000000003055"),
    callbackUrl: "https://shop.test/return",
  });
  const { paymentId, threeDSHtmlContent } = await bank.shop.succeed("/payment/3dsecure/initialize", body);
  const page = formOf(Buffer.from(String(threeDSHtmlContent), "base64").toString());
  await submit(page.action, page.fields);
  await submit(page.action, page.fields);
  await expect.poll(() => received).toHaveLength(1);
  const end = { paymentId, conversationId: "shop-pay-1" };
  await bank.shop.succeed("/payment/3dsecure/auth", end);
  await expect.poll(() => received).toHaveLength(2);
  expect(
    received.map(({ body: each }) => `${String(each["iyziEventType"])} ${String(each["status"])}`),
  ).toEqual(["THREE_DS_CALLBACK CALLBACK_THREEDS", "THREE_DS_AUTH SUCCESS"]);
});

test("a webhook is tried three times", async () => {
  const { bank: started, receiver } = await start();
  await using bank = started;
  receiver.refusals = 3;
  await bank.shop.succeed("/payment/auth", paymentBody());
  await expect.poll(() => receiver.received).toHaveLength(3);
  // A fourth try would come before the webhook of a later payment.
  await bank.shop.succeed("/payment/auth", paymentBody({ conversationId: "shop-pay-2" }));
  await expect.poll(() => receiver.received).toHaveLength(4);
  expect(receiver.received[3]?.body["paymentConversationId"]).toBe("shop-pay-2");
});

test("webhooks come twice, late, wrongly signed or not at all, as the mode says", async () => {
  const { bank: started, received, url } = await start({ latenessMs: 3_600_000 });
  await using bank = started;
  const pay = async (webhooks: string, count: number) => {
    await bank.modes({ webhooks });
    await bank.shop.succeed("/payment/auth", paymentBody({ conversationId: webhooks }));
    await expect.poll(() => received).toHaveLength(count);
  };
  await pay("off", 0);
  await pay("late", 0);
  await pay("twice", 2);
  await pay("wrong_signature", 3);
  await bank.ask("PUT", "/notifications", { merchantId: "1000001" });
  await pay("on", 3);
  await bank.ask("PUT", "/notifications", { merchantId: "1000001", url });
  await pay("on", 4);
  const [first, second, wrong] = received;
  expect(second).toEqual(first);
  expect(wrong?.signature).toMatch(/^[0-9a-f]{64}$/);
  const signed = `API_AUTH${String(wrong?.body["paymentId"])}wrong_signatureSUCCESS`;
  expect(wrong?.signature).not.toBe(hmac(`${sandboxKeys.secretKey}${signed}`));
  const target = { merchantId: "9", url };
  await expect(bank.ask("PUT", "/notifications", target)).rejects.toThrow("400");
});
