import { expect, test } from "vitest";

import { readPage, startReceiver, submit } from "../../core/test/test-bank.ts";
import { card, paymentBody, sandboxKeys } from "./test/shop.ts";
import { hmac, startTestBank } from "./test/test-bank.ts";

async function start(options: object = {}) {
  const receiver = await startReceiver();
  const bank = await startTestBank({ webhookDelayMs: 0, webhookRetryMs: 0, ...options });
  await bank.ask("PUT", "/notifications", { merchantId: "1000001", url: receiver.url });
  const received = () =>
    receiver.received.map(({ headers, body }) => ({
      signature: headers["x-iyz-signature-v3"],
      body: JSON.parse(body) as Record<string, unknown>,
    }));
  return { bank, received, answers: receiver.answers, url: receiver.url };
}

test("a merchant hears of its payments, signed, and of no request that was refused", async () => {
  const { bank: started, received } = await start();
  await using bank = started;
  await bank.shop.post("/payment/auth", paymentBody({ currency: "USD" }));
  await bank.other.succeed("/payment/auth", paymentBody());
  const { paymentId } = await bank.shop.succeed("/payment/auth", paymentBody());
  await expect.poll(received).toHaveLength(1);
  expect(received()[0]).toEqual({
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
  await expect.poll(() => received()[1]?.body["status"]).toBe("FAILURE");
});

test("a merchant hears of both steps of 3-D Secure, of the first of them once", async () => {
  const { bank: started, received } = await start();
  await using bank = started;
  const body = paymentBody({
    paymentCard: card("4000000000003055"),
    callbackUrl: "https://shop.test/return",
  });
  const { paymentId, threeDSHtmlContent } = await bank.shop.succeed("/payment/3dsecure/initialize", body);
  const page = readPage(Buffer.from(String(threeDSHtmlContent), "base64").toString());
  await submit(page.action, page.fields);
  await submit(page.action, page.fields);
  await expect.poll(received).toHaveLength(1);
  const end = { paymentId, conversationId: "shop-pay-1" };
  await bank.shop.succeed("/payment/3dsecure/auth", end);
  await expect.poll(received).toHaveLength(2);
  expect(
    received().map(({ body: each }) => `${String(each["iyziEventType"])} ${String(each["status"])}`),
  ).toEqual(["THREE_DS_CALLBACK CALLBACK_THREEDS", "THREE_DS_AUTH SUCCESS"]);
});

test("a webhook is tried three times", async () => {
  const { bank: started, received, answers } = await start();
  await using bank = started;
  answers.push({ status: 500 }, { status: 500 }, { status: 500 });
  for (const [conversationId, count] of [
    ["first", 3],
    ["second", 4],
  ] as const) {
    await bank.shop.succeed("/payment/auth", paymentBody({ conversationId }));
    await expect.poll(received).toHaveLength(count);
    expect(received().at(-1)?.body).toMatchObject({ paymentConversationId: conversationId });
  }
});

test("webhooks come twice, late, wrongly signed or not at all, as the mode says", async () => {
  const { bank: started, received, url } = await start({ latenessMs: 3_600_000 });
  await using bank = started;
  const pay = async (webhooks: string, count: number) => {
    await bank.modes({ webhooks });
    await bank.shop.succeed("/payment/auth", paymentBody({ conversationId: webhooks }));
    await expect.poll(received).toHaveLength(count);
  };
  await pay("off", 0);
  await pay("late", 0);
  await pay("twice", 2);
  await pay("wrong_signature", 3);
  await bank.ask("PUT", "/notifications", { merchantId: "1000001" });
  await pay("on", 3);
  await bank.ask("PUT", "/notifications", { merchantId: "1000001", url });
  await pay("on", 4);
  const [first, second, wrong] = received();
  expect(second).toEqual(first);
  expect(wrong?.signature).toMatch(/^[0-9a-f]{64}$/);
  const signed = `API_AUTH${String(wrong?.body["paymentId"])}wrong_signatureSUCCESS`;
  expect(wrong?.signature).not.toBe(hmac(`${sandboxKeys.secretKey}${signed}`));
  const target = { merchantId: "9", url };
  await expect(bank.ask("PUT", "/notifications", target)).rejects.toThrow("400");
});
