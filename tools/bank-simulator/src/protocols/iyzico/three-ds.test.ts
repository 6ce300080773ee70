import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { readPage, submit, type Page } from "../../core/test/test-bank.ts";
import { card, paymentBody, type Answer } from "./test/shop.ts";
import { hmac, startTestBank, type TestBank } from "./test/test-bank.ts";

const callbackUrl = 'https://shop.test/return?order=1&x="2"';
const V1 = "/payment/3dsecure/auth";
const V2 = "/payment/v2/3dsecure/auth";

function initialize(bank: TestBank, number?: string, changes: Record<string, unknown> = {}): Promise<Answer> {
  const body = paymentBody({ callbackUrl, paymentCard: card(number, changes) });
  return bank.shop.succeed("/payment/3dsecure/initialize", body);
}

function end({ paymentId }: Answer) {
  const start = { paidPrice: "100.0", basketId: "basket-1", currency: "TRY" };
  return { ...start, paymentId, conversationId: "shop-pay-1" };
}

function startPage({ threeDSHtmlContent }: Answer) {
  return readPage(Buffer.from(String(threeDSHtmlContent), "base64").toString("utf8"));
}

/** The page that the browser shows after the start's page has posted itself. */
function challenge(started: Answer): Promise<Page> {
  const { action, fields } = startPage(started);
  return submit(action, fields);
}

/** Answers the challenge, and returns the form that leads back to the shop. */
async function answer(bank: TestBank, started: Answer, fields: object = { code: "123456" }) {
  return await submit(`${bank.url}/acs/answer`, { ...startPage(started).fields, ...fields });
}

async function reported(bank: TestBank, { paymentId }: Answer): Promise<Answer | undefined> {
  return (await bank.report({ paymentId }))[0];
}

test("the right code leads back with mdStatus 1 and a signature, and the money moves at the end", async () => {
  await using bank = await startTestBank();
  const started = await initialize(bank);
  const { paymentId } = started;
  expect(started).toMatchObject({ signature: hmac(`${paymentId}:shop-pay-1`) });
  expect(await reported(bank, started)).toMatchObject({ paymentStatus: 2, threeDS: true });
  expect(await bank.shop.succeed("/payment/detail", { paymentId })).toMatchObject({
    paymentStatus: "INIT_THREEDS",
  });
  expect(await bank.shop.codeOf(V2, end(started))).toBe("10210");
  expect((await challenge(started)).html).toContain("100 TRY");
  expect(await answer(bank, started)).toMatchObject({
    action: callbackUrl,
    fields: {
      status: "success",
      paymentId,
      conversationData: "",
      conversationId: "shop-pay-1",
      mdStatus: "1",
      signature: hmac(`:shop-pay-1:1:${paymentId}:success`),
    },
  });
  expect(await reported(bank, started)).toMatchObject({ paymentStatus: 3 });
  for (const changes of [
    { paidPrice: "99.99" },
    { basketId: "basket-2" },
    { currency: "USD" },
    { conversationId: "shop-pay-2" },
  ])
    expect(await bank.shop.codeOf(V2, { ...end(started), ...changes })).toBe("11");
  expect(await bank.ledger()).toEqual([]);
  const signature = hmac(`${paymentId}:TRY:basket-1:shop-pay-1:100:100`);
  const completed = await bank.shop.succeed(V2, end(started));
  expect(completed).toMatchObject({ paymentId, paidPrice: 100, phase: "AUTH", mdStatus: 1, signature });
  expect(await bank.ledger()).toMatchObject([{ operation: "sale", transactionId: paymentId }]);
  expect(await reported(bank, started)).toMatchObject({ paymentStatus: 1 });
  expect(await bank.shop.codeOf(V2, end(started))).toBe("10203");
});

test("the first version's end needs the conversationData of the return", async () => {
  await using bank = await startTestBank();
  await bank.modes({ conversationData: "state of the shop" });
  const body = paymentBody({ callbackUrl });
  const started = await bank.shop.succeed("/payment/3dsecure/initialize/preauth", body);
  const { paymentId } = started;
  const { fields } = await answer(bank, started);
  const { conversationData } = fields;
  const signature = hmac(`state of the shop:shop-pay-1:1:${paymentId}:success`);
  expect(fields).toMatchObject({ conversationData: "state of the shop", signature });
  expect(await bank.shop.codeOf(V1, { paymentId, conversationId: "shop-pay-1" })).toBe("11");
  const request = { paymentId, conversationId: "shop-pay-1", conversationData };
  expect(await bank.shop.succeed(V1, request)).toMatchObject({ phase: "PRE_AUTH" });
  expect(await bank.ledger()).toMatchObject([{ operation: "authorize" }]);
});

test.each([
  ["a wrong code", undefined, { code: "654321" }, "failure 0", 0],
  ["a cancellation", undefined, { code: "123456", answer: "cancel" }, "failure 0", 0],
  ["mdStatus 0", "4131111111111117", undefined, "success 0", 3],
  ["mdStatus 4", "4141111111111115", undefined, "success 4", 3],
])(
  "after %s the end is refused, and a second answer changes nothing",
  async (_, number, fields, back, status) => {
    await using bank = await startTestBank();
    const started = await initialize(bank, number);
    for (const each of [fields, undefined]) {
      const { fields: seen } = await answer(bank, started, each);
      expect(`${seen["status"]} ${seen["mdStatus"]}`).toBe(back);
    }
    expect(await bank.shop.codeOf(V2, end(started))).toBe("10210");
    expect(await reported(bank, started)).toMatchObject({ paymentStatus: status });
    expect(await bank.ledger()).toEqual([]);
  },
);

test.each([
  ["4000000000003055", "success", "1"],
  ["4000000000003097", "failure", "0"],
])("the card %s sees no challenge and comes back with %s", async (number, status, mdStatus) => {
  await using bank = await startTestBank();
  const page = await challenge(await initialize(bank, number));
  expect(page).toMatchObject({ action: callbackUrl, fields: { status, mdStatus } });
});

test.each([
  ["10051", "4111111111111129", {}],
  ["10054", undefined, { expireYear: "2029" }],
])("an issuer's decline %s comes with the money, and is repeated", async (code, number, changes) => {
  await using bank = await startTestBank();
  const started = await initialize(bank, number, changes);
  await answer(bank, started);
  expect(await bank.shop.codeOf(V2, end(started))).toBe(code);
  expect(await reported(bank, started)).toMatchObject({ paymentStatus: 0, errorCode: code });
  expect(await bank.shop.codeOf(V2, end(started))).toBe(code);
  expect(await bank.ledger()).toMatchObject([{ outcome: "declined", resultCode: code }]);
});

test("a fault of the card or the queue plays at the end, once", async () => {
  await using bank = await startTestBank();
  const started = await initialize(bank, "4000000000000341");
  expect(await bank.shop.codeOf(V2, end(started))).toBe("10210");
  await answer(bank, started);
  await bank.fault("complete", "unknown_not_done");
  expect(await bank.shop.codeOf(V2, end(started))).toBe("10219");
  expect((await bank.shop.post(V2, end(started))).httpStatus).toBe(500);
  expect(await bank.shop.codeOf(V2, end(started))).toBe("10203");
});

test.each([
  ["12", { paymentCard: card("4111111111111112") }],
  ["10220", { paymentCard: card("4151111111111112") }],
  ["5062", { price: "99.99" }],
  ["11", { callbackUrl: "javascript:alert(1)" }],
  ["11", { callbackUrl: undefined }],
])("a start is refused with %s", async (code, changes) => {
  await using bank = await startTestBank();
  const body = paymentBody({ callbackUrl, ...changes });
  expect(await bank.shop.codeOf("/payment/3dsecure/initialize", body)).toBe(code);
});

test("a payment without a start has no end", async () => {
  await using bank = await startTestBank();
  expect(await bank.shop.codeOf(V2, end(await bank.shop.succeed("/payment/auth", paymentBody())))).toBe(
    "5002",
  );
});

test("the return is bent as the modes say", async () => {
  await using bank = await startTestBank();
  const back = async (modes: object) => {
    await bank.modes(modes);
    const started = await initialize(bank);
    const { fields } = await answer(bank, started);
    return { fields, id: String(started.paymentId), other: String(Number(started.paymentId) + 1) };
  };
  expect((await back({ mdStatus: "7" })).fields).toMatchObject({ status: "failure", mdStatus: "7" });
  const lied = await back({ mdStatus: "1", returns: "other_payment" });
  const signature = hmac(`:shop-pay-1:1:${lied.other}:success`);
  expect(lied.fields).toMatchObject({ status: "success", paymentId: lied.other, signature });
  const forged = await back({ returns: "right", returnSignatures: "wrong" });
  expect(forged.fields["signature"]).toMatch(/^[0-9a-f]{64}$/);
  expect(forged.fields["signature"]).not.toBe(hmac(`:shop-pay-1:1:${forged.id}:success`));
  expect((await back({ returnSignatures: "missing" })).fields).not.toHaveProperty("signature");
});

test("the start and the return outlive a restart, without the card's number", async () => {
  await using bank = await startTestBank();
  const [first, second] = [await initialize(bank), await initialize(bank)];
  await answer(bank, second);
  await bank.restart();
  expect(await reported(bank, first)).toMatchObject({ paymentStatus: 2 });
  await answer(bank, first);
  await bank.shop.succeed(V2, end(first));
  await bank.shop.succeed(V2, end(second));
  await bank.restart();
  expect(await reported(bank, first)).toMatchObject({ paymentStatus: 1, threeDS: true });
  expect(await bank.shop.codeOf(V2, end(second))).toBe("10203");
  const { paymentId: next } = await initialize(bank);
  expect([first.paymentId, second.paymentId]).not.toContain(next);
  expect(await readFile(`${bank.ledgerFile}.events.ndjson`, "utf8")).not.toMatch(/5528790000000008|"123"/);
});
