// The official client of iyzico (iyzipay, MIT) against this simulator: a foreign client has to work with it.
import { createRequire } from "node:module";

import { beforeEach, expect, test } from "vitest";

import { readPage, submit } from "../../core/test/test-bank.ts";
import { card, paymentBody, sandboxKeys, type Answer } from "./test/shop.ts";
import { startTestBank, type TestBank } from "./test/test-bank.ts";

type Verb = "create" | "retrieve";
type Callback = (error: Error | null, answer: Answer) => void;
type Resource = Record<Verb, (request: object, done: Callback) => void>;
type Iyzipay = Record<string, Resource>;

// The package is CommonJS, and its types are older than its code.
const Iyzipay = createRequire(import.meta.url)("iyzipay") as new (options: object) => Iyzipay;

let bank: TestBank;

beforeEach(async () => {
  bank = await startTestBank();
  return () => bank[Symbol.asyncDispose]();
});

/** The client keeps a request's body in the object, so each call has a client of its own. */
function call(resource: string, verb: Verb, request: object, secretKey?: string): Promise<Answer> {
  const client = new Iyzipay({ uri: bank.url, ...sandboxKeys, ...(secretKey && { secretKey }) });
  return new Promise((resolve, reject) => {
    client[resource]?.[verb](request, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

const follow = { locale: "tr", conversationId: "follow-1", ip: "203.0.113.7", currency: "TRY" };
const succeeded = { status: "success" };

test("it asks whether the API is up", async () => {
  expect(await call("apiTest", "retrieve", {})).toMatchObject(succeeded);
});

test("it pays, asks and refunds an item and an amount", async () => {
  const { paymentId, itemTransactions } = await call("payment", "create", paymentBody());
  expect(await call("payment", "retrieve", { paymentId, conversationId: "ask-1" })).toMatchObject({
    ...succeeded,
    paymentStatus: "SUCCESS",
    phase: "AUTH",
    paidPrice: 100,
  });
  const [{ paymentTransactionId }] = itemTransactions as [{ paymentTransactionId: string }];
  const refund = { ...follow, paymentTransactionId, price: 20.5, reason: "other", description: "İade" };
  expect(await call("refund", "create", refund)).toMatchObject({ ...succeeded, price: 20.5 });
  expect(await call("refundV2", "create", { ...follow, paymentId, price: 79.5 })).toMatchObject({
    ...succeeded,
    price: 79.5,
  });
  const report = { paymentConversationId: "shop-pay-1" };
  expect(await call("reportingTransactionDetails", "retrieve", report)).toMatchObject({
    payments: [{ paymentId, paymentStatus: 1, paymentRefundStatus: "TOTALLY_REFUNDED" }],
  });
  const day = { transactionDate: "2030-06-16 00:00:00", page: 1 };
  const { transactions } = await call("reportingTransactions", "retrieve", day);
  expect((transactions as Answer[]).map(({ transactionType }) => transactionType)).toEqual([
    "PAYMENT",
    "PAYMENT",
    "REFUND",
    "REFUND",
    "REFUND",
  ]);
  const scroll = { transactionDate: "2030-06-16 00:00:00", documentScrollVoSortingOrder: "ASC", lastId: "" };
  const scrolled = await call("reportingScrollTransactions", "retrieve", scroll);
  expect(scrolled["transactions"]).toEqual(transactions);
});

test("it holds, captures and cancels", async () => {
  const { paymentId } = await call("paymentPreAuth", "create", paymentBody());
  expect(await call("paymentPreAuth", "retrieve", { paymentId })).toMatchObject({ phase: "PRE_AUTH" });
  expect(await call("paymentPostAuth", "create", { ...follow, paymentId, paidPrice: 60 })).toMatchObject({
    ...succeeded,
    phase: "POST_AUTH",
    paidPrice: 60,
  });
  const cancel = { ...follow, paymentId, reason: "other", description: "İptal" };
  expect(await call("cancel", "create", cancel)).toMatchObject({ ...succeeded, price: 60 });
});

test("it reads a decline", async () => {
  const body = paymentBody({ paymentCard: card("4111111111111129") });
  expect(await call("payment", "create", body)).toMatchObject({ status: "failure", errorCode: "10051" });
});

test.each([
  ["threedsInitialize", "threedsV2Payment", "AUTH"],
  ["threedsInitializePreAuth", "threedsPayment", "PRE_AUTH"],
])("it pays with 3-D Secure: %s, %s", async (start, end, phase) => {
  const callbackUrl = "https://shop.test/return";
  const { paymentId, threeDSHtmlContent } = await call(start, "create", paymentBody({ callbackUrl }));
  const begin = readPage(Buffer.from(String(threeDSHtmlContent), "base64").toString());
  const { fields } = await submit(begin.action, begin.fields);
  const back = await submit(`${bank.url}/acs/answer`, { ...fields, code: "123456" });
  expect(back).toMatchObject({ action: callbackUrl, fields: { status: "success", paymentId } });
  const { conversationData, conversationId } = back.fields;
  const request = {
    paymentId,
    conversationData,
    conversationId,
    paidPrice: "100.0",
    basketId: "basket-1",
    currency: "TRY",
  };
  expect(await call(end, "create", request)).toMatchObject({ ...succeeded, paymentId, phase });
});

test("it asks for BINs, installments and payouts", async () => {
  expect(await call("binNumber", "retrieve", { binNumber: "552879" })).toMatchObject({
    ...succeeded,
    cardFamily: "Paraf",
  });
  const installments = await call("installmentInfo", "retrieve", { binNumber: "552879", price: 100 });
  expect(installments["installmentDetails"]).toHaveLength(1);
  await call("payment", "create", paymentBody());
  await bank.endDay();
  const date = "2030-06-16 00:00:00";
  const payouts = await call("reportingPayoutCompleted", "retrieve", { date });
  expect(payouts["payoutCompletedTransactions"]).toHaveLength(2);
  expect(await call("reportingBouncedPayments", "retrieve", { date })).toMatchObject(succeeded);
});

test("it is refused with a wrong secret, on POST and on GET", async () => {
  const refused = { status: "failure", errorCode: "1000" };
  expect(await call("payment", "create", paymentBody(), "sandbox-wrong")).toMatchObject(refused);
  expect(await call("apiTest", "retrieve", {}, "sandbox-wrong")).toMatchObject(refused);
});
