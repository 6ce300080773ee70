import { createHmac } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { startIyzicoSimulator, type IyzicoSimulator } from "./iyzico-simulator.ts";
import { card, formOf, paymentBody, sandboxKeys, Shop, submit, type Answer } from "./test/shop.ts";

const callbackUrl = 'https://shop.test/return?order=1&x="2"';

let folder: string;
let ledgerFile: string;
let bank: IyzicoSimulator;
let shop: Shop;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "iyzico-3ds-"));
  ledgerFile = join(folder, "ledger.ndjson");
  await start();
});
afterEach(async () => {
  await bank.close();
  await rm(folder, { recursive: true });
});

async function start(): Promise<void> {
  bank = await startIyzicoSimulator({ ledgerFile, latenessMs: 0 });
  shop = new Shop(bank.url);
}

test("a start is signed, moves no money and is known to the inquiry", async () => {
  const started = await initialize();
  expect(started).toMatchObject({
    status: "success",
    conversationId: "shop-pay-1",
    paymentId: expect.stringMatching(/^\d+$/),
    signature: hmac(`${started.paymentId}:shop-pay-1`),
  });
  expect(await ledger()).toEqual([]);
  expect(await reported(started)).toMatchObject({ paymentStatus: 2, threeDS: true });
  expect(await detail(started)).toMatchObject({ paymentStatus: "INIT_THREEDS" });
});

test("the right code leads back with mdStatus 1 and a signature, and the money moves at the end", async () => {
  const started = await initialize();
  const { action, fields } = await answer(started, { code: "123456", answer: "submit" });
  const { paymentId } = started;
  expect(action).toBe(callbackUrl);
  expect(fields).toEqual({
    status: "success",
    paymentId,
    conversationData: "",
    conversationId: "shop-pay-1",
    mdStatus: "1",
    signature: hmac(`:shop-pay-1:1:${paymentId}:success`),
  });
  expect(await reported(started)).toMatchObject({ paymentStatus: 3 });
  expect(await ledger()).toEqual([]);

  const completed = await shop.succeed("/payment/v2/3dsecure/auth", end(started));
  expect(completed).toMatchObject({
    paymentId,
    paidPrice: 100,
    phase: "AUTH",
    mdStatus: 1,
    signature: hmac(`${paymentId}:TRY:basket-1:shop-pay-1:100:100`),
  });
  expect(await ledger()).toMatchObject([
    { operation: "sale", outcome: "approved", transactionId: paymentId },
  ]);
  expect(await reported(started)).toMatchObject({ paymentStatus: 1 });
  expect(await shop.codeOf("/payment/v2/3dsecure/auth", end(started))).toBe("10203");
});

test("a start for a hold ends as a hold", async () => {
  const started = await shop.succeed("/payment/3dsecure/initialize/preauth", body());
  await answer(started, { code: "123456" });
  expect(await shop.succeed("/payment/v2/3dsecure/auth", end(started))).toMatchObject({ phase: "PRE_AUTH" });
  expect(await ledger()).toMatchObject([{ operation: "authorize" }]);
});

test("the first version's end needs the conversationData of the return", async () => {
  await modes({ conversationData: "state of the shop" });
  const started = await initialize();
  const { fields } = await answer(started, { code: "123456" });
  expect(fields).toMatchObject({
    conversationData: "state of the shop",
    signature: hmac(`state of the shop:shop-pay-1:1:${started.paymentId}:success`),
  });
  const request = { paymentId: started.paymentId, conversationId: "shop-pay-1" };
  expect(await shop.codeOf("/payment/3dsecure/auth", request)).toBe("11");
  const { conversationData } = fields;
  await shop.succeed("/payment/3dsecure/auth", { ...request, conversationData });
});

test.each([
  ["a wrong code", { code: "654321", answer: "submit" }],
  ["a cancel, even with the right code", { code: "123456", answer: "cancel" }],
])("%s leads back with a failure, and the end is refused", async (_name, fields) => {
  const started = await initialize();
  const back = await answer(started, fields);
  expect(back.fields).toMatchObject({ status: "failure", mdStatus: "0" });
  expect(await shop.codeOf("/payment/v2/3dsecure/auth", end(started))).toBe("10210");
  expect(await reported(started)).toMatchObject({ paymentStatus: 0 });
  expect(await ledger()).toEqual([]);
});

test("only the cardholder's first answer counts", async () => {
  const started = await initialize();
  await answer(started, { code: "wrong" });
  const { fields } = await answer(started, { code: "123456" });
  expect(fields).toMatchObject({ status: "failure", mdStatus: "0" });
});

test("an end before the return is refused, and works after it", async () => {
  const started = await initialize();
  expect(await shop.codeOf("/payment/v2/3dsecure/auth", end(started))).toBe("10210");
  await answer(started, { code: "123456" });
  await shop.succeed("/payment/v2/3dsecure/auth", end(started));
});

test.each([
  ["paidPrice", { paidPrice: "99.99" }],
  ["basketId", { basketId: "basket-2" }],
  ["currency", { currency: "USD" }],
  ["conversationId", { conversationId: "shop-pay-2" }],
])("an end with another %s than the start's is refused", async (_name, changes) => {
  const started = await initialize();
  await answer(started, { code: "123456" });
  expect(await shop.codeOf("/payment/v2/3dsecure/auth", { ...end(started), ...changes })).toBe("11");
  await shop.succeed("/payment/v2/3dsecure/auth", end(started));
});

test.each([
  ["4131111111111117", "0"],
  ["4141111111111115", "4"],
])("the card %s comes back with success and mdStatus %s, and is not charged", async (number, mdStatus) => {
  const started = await initialize({ paymentCard: card(number) });
  const { fields } = await answer(started, { code: "123456" });
  expect(fields).toMatchObject({ status: "success", mdStatus });
  expect(await shop.codeOf("/payment/v2/3dsecure/auth", end(started))).toBe("10210");
  expect(await ledger()).toEqual([]);
});

test("the card 4151111111111112 does not start", async () => {
  const request = body({ paymentCard: card("4151111111111112") });
  expect(await shop.codeOf("/payment/3dsecure/initialize", request)).toBe("10220");
});

test.each([
  ["4000000000003055", "success", "1"],
  ["4000000000003097", "failure", "0"],
])("the card %s sees no challenge and comes back with %s", async (number, status, mdStatus) => {
  const started = await initialize({ paymentCard: card(number) });
  const page = await challenge(started);
  expect(formOf(page)).toMatchObject({ action: callbackUrl, fields: { status, mdStatus } });
});

test("an issuer's decline comes with the money", async () => {
  const started = await initialize({ paymentCard: card("4111111111111129") });
  await answer(started, { code: "123456" });
  expect(await shop.codeOf("/payment/v2/3dsecure/auth", end(started))).toBe("10051");
  expect(await ledger()).toMatchObject([{ outcome: "declined", resultCode: "10051" }]);
  expect(await reported(started)).toMatchObject({ paymentStatus: 0, errorCode: "10051" });
  expect(await shop.codeOf("/payment/v2/3dsecure/auth", end(started))).toBe("10051");
  expect(await ledger()).toHaveLength(1);
});

test("an expired card is declined with the money", async () => {
  const started = await initialize({ paymentCard: card(undefined, { expireYear: "2020" }) });
  await answer(started, { code: "123456" });
  expect(await shop.codeOf("/payment/v2/3dsecure/auth", end(started))).toBe("10054");
});

test("a card's fault plays at the end, once", async () => {
  const started = await initialize({ paymentCard: card("4000000000000341") });
  expect(await shop.codeOf("/payment/v2/3dsecure/auth", end(started))).toBe("10210");
  await answer(started, { code: "123456" });
  expect((await shop.post("/payment/v2/3dsecure/auth", end(started))).httpStatus).toBe(500);
  expect(await reported(started)).toMatchObject({ paymentStatus: 1 });
  expect(await shop.codeOf("/payment/v2/3dsecure/auth", end(started))).toBe("10203");
});

test.each([
  ["12", { paymentCard: card("4111111111111112") }],
  ["5062", { price: "99.99" }],
  ["11", { callbackUrl: "javascript:alert(1)" }],
  ["11", { callbackUrl: undefined }],
  ["11", { shippingAddress: undefined }],
])("a start is refused with %s", async (code, changes) => {
  expect(await shop.codeOf("/payment/3dsecure/initialize", body(changes))).toBe(code);
});

test("mdStatus can be any, and only 1 comes with success", async () => {
  await modes({ mdStatus: "7" });
  const { fields } = await answer(await initialize(), { code: "123456" });
  expect(fields).toMatchObject({ status: "failure", mdStatus: "7" });
  await modes({ mdStatus: "1" });
  const started = await initialize({ paymentCard: card("4141111111111115") });
  expect((await answer(started, { code: "123456" })).fields).toMatchObject({
    status: "success",
    mdStatus: "1",
  });
});

test("a return can be about another payment, with a signature that fits", async () => {
  await modes({ returns: "other_payment" });
  const started = await initialize();
  const { fields } = await answer(started, { code: "123456" });
  const other = String(Number(started.paymentId) + 1);
  expect(fields).toMatchObject({
    paymentId: other,
    signature: hmac(`:shop-pay-1:1:${other}:success`),
  });
});

test("a return's signature can be wrong or missing", async () => {
  await modes({ returnSignatures: "wrong" });
  const started = await initialize();
  const { fields } = await answer(started, { code: "123456" });
  expect(fields["signature"]).toMatch(/^[0-9a-f]{64}$/);
  expect(fields["signature"]).not.toBe(hmac(`:shop-pay-1:1:${started.paymentId}:success`));
  await modes({ returnSignatures: "missing" });
  expect((await answer(started, {})).fields).not.toHaveProperty("signature");
});

test("the pages work without scripts, and the issuer's has none", async () => {
  const started = await initialize();
  expect(startPage(started)).toContain("<button>");
  const page = await challenge(started);
  expect(page).toContain("100 TRY");
  expect(page).toContain('name="code"');
  expect(page).not.toContain("<script");
  const back = await submit(`${bank.url}/acs/answer`, { ...formOf(page).fields, code: "123456" });
  expect(back).toContain("<button>");
  expect(back).toContain(".submit()");
  expect(await submit(`${bank.url}/acs/challenge`, { token: "nothing" })).toContain("does not know");
});

test("the public URL is what the browser's page names", async () => {
  await bank.close();
  bank = await startIyzicoSimulator({ ledgerFile, publicUrl: "https://bank.test" });
  shop = new Shop(bank.url);
  expect(formOf(startPage(await initialize())).action).toBe("https://bank.test/acs/challenge");
});

test("what was begun outlives a restart, before and after the return, without the card's number", async () => {
  const first = await initialize();
  const second = await initialize();
  await answer(second, { code: "123456" });
  await bank.close();
  await start();
  expect(await reported(first)).toMatchObject({ paymentStatus: 2 });
  const { action, fields } = formOf(startPage(first));
  const page = await submit(`${bank.url}${new URL(action).pathname}`, fields);
  await submit(`${bank.url}/acs/answer`, { ...formOf(page).fields, code: "123456" });
  await shop.succeed("/payment/v2/3dsecure/auth", end(first));
  await shop.succeed("/payment/v2/3dsecure/auth", end(second));
  await bank.close();
  await start();
  expect(await reported(first)).toMatchObject({ paymentStatus: 1, threeDS: true });
  expect(await shop.codeOf("/payment/v2/3dsecure/auth", end(second))).toBe("10203");
  const events = await readFile(`${ledgerFile}.events.ndjson`, "utf8");
  expect(events).not.toMatch(/5528790000000008|"123"/);
});

function body(changes: Record<string, unknown> = {}) {
  return paymentBody({ callbackUrl, ...changes });
}

function initialize(changes: Record<string, unknown> = {}): Promise<Answer> {
  return shop.succeed("/payment/3dsecure/initialize", body(changes));
}

function end({ paymentId }: Answer) {
  return {
    paymentId,
    paidPrice: "100.0",
    basketId: "basket-1",
    currency: "TRY",
    conversationId: "shop-pay-1",
  };
}

function startPage({ threeDSHtmlContent }: Answer): string {
  return Buffer.from(String(threeDSHtmlContent), "base64").toString("utf8");
}

/** The page that the browser shows after the start's page has posted itself. */
function challenge(started: Answer): Promise<string> {
  const { action, fields } = formOf(startPage(started));
  return submit(action, fields);
}

/** Answers the challenge, and returns the form that leads back to the shop. */
async function answer(started: Answer, fields: Record<string, string>) {
  const { fields: hidden } = formOf(startPage(started));
  await challenge(started);
  return formOf(await submit(`${bank.url}/acs/answer`, { ...hidden, ...fields }));
}

function detail({ paymentId }: Answer): Promise<Answer> {
  return shop.succeed("/payment/detail", { paymentId });
}

async function reported({ paymentId = "" }: Answer): Promise<Answer | undefined> {
  const { body: report } = await shop.get("/v2/reporting/payment/details", { paymentId });
  return (report["payments"] as Answer[])[0];
}

async function modes(changes: object): Promise<void> {
  const response = await fetch(`${bank.url}/modes`, { method: "PUT", body: JSON.stringify(changes) });
  expect(response.status).toBe(200);
}

async function ledger(): Promise<unknown[]> {
  const text = await (await fetch(`${bank.url}/ledger`)).text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

function hmac(text: string): string {
  return createHmac("sha256", sandboxKeys.secretKey).update(text).digest("hex");
}
