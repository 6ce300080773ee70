import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCheckouts, recordOf } from "../../test/test-checkouts.ts";
import { JSON_TYPE, startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";
import { recordOf as paymentOf } from "../../test/test-payments.ts";

let gateway: TestGateway;
let checkouts: Awaited<ReturnType<typeof startTestCheckouts>>;
let merchant: TestMerchant;
beforeAll(async () => {
  gateway = await startTestGateway({ PUBLIC_URL: "https://pay.example.test/" });
  checkouts = await startTestCheckouts(gateway.nats.url);
  merchant = await gateway.createMerchant();
});
afterAll(async () => {
  await checkouts.stop();
  await gateway.stop();
});

const VALID = {
  orderId: "order-1",
  amount: 12.5,
  currency: "TRY",
  successUrl: "https://shop.example/paid",
  failureUrl: "https://shop.example/failed",
};
const create = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  gateway.merchantApi({
    method: "POST",
    path: "/api/checkout",
    headers: { ...merchant.headers, ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
const read = (checkoutId: string) =>
  gateway.merchantApi({ path: `/api/checkout/${checkoutId}`, headers: merchant.headers });

test("a checkout is made for the merchant that signed in, and its page is named", async () => {
  const answer = await create(
    {
      ...VALID,
      installmentOptions: [3, 6],
      expiresInSeconds: 600,
      merchantId: randomUUID(),
      status: "COMPLETED",
    },
    { "idempotency-key": "k-1" },
  );
  const { context, payload } = checkouts.opened.at(-1)!;
  expect(answer).toMatchObject({
    status: 201,
    headers: { location: `/api/checkout/${payload.checkoutId}`, "cache-control": "no-store" },
    body: {
      checkoutId: payload.checkoutId,
      checkoutUrl: `https://pay.example.test/checkout/${payload.checkoutId}`,
      status: "OPEN",
    },
  });
  expect(context).toMatchObject({
    merchant: { merchantId: merchant.merchantId },
    idempotency: { key: "k-1", scope: "POST /api/checkout" },
  });
  expect(payload).toEqual({
    checkoutId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
    orderId: "order-1",
    amountMinor: "1250",
    currency: "TRY",
    installmentOptions: [3, 6],
    successUrl: VALID.successUrl,
    failureUrl: VALID.failureUrl,
    transactionType: "PAYMENT",
    threeDs: true,
    expiresInSeconds: 600,
  });
});

test("what is said about the buyer is sealed for the checkout, and a basket has to add up", async () => {
  const item = { id: "sku-1", name: "Lamp", category: "Home", kind: "physical", amount: 12.5 };
  const customer = { email: "ada@example.com" };
  const answer = await create({ ...VALID, customer, basket: [item] });
  expect(answer.status).toBe(201);
  const { payload } = checkouts.opened.at(-1)!;
  expect(JSON.stringify(payload)).not.toContain("ada@example.com");
  const binding = { paymentId: payload.checkoutId, merchantId: merchant.merchantId };
  expect(gateway.cardOpener.openDetails(payload.details!, binding)).toEqual({
    customer,
    basket: [{ id: "sku-1", name: "Lamp", category: "Home", kind: "physical", amountMinor: "1250" }],
  });
  expect(await create({ ...VALID, basket: [item, item] })).toMatchObject({
    status: 400,
    body: { errors: [{ field: "basket", code: "sum_mismatch" }] },
  });
});

test("all faults are told at once, in the schema's order", async () => {
  const before = checkouts.opened.length;
  const answer = await create({
    orderId: "",
    amount: 1.234,
    currency: "TRY",
    customerId: "x".repeat(65),
    installmentOptions: [0, 3, 3],
    successUrl: "http://shop.example/paid",
    failureUrl: "javascript:alert(1)",
    transactionType: "REFUND",
    threeDs: "yes",
    expiresInSeconds: 59,
  });
  expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  const faults = (answer.body["errors"] as { field: string; code: string }[]).map(({ field, code }) => [
    field,
    code,
  ]);
  expect(faults).toEqual([
    ["orderId", "too_short"],
    ["amount", "too_many_decimals"],
    ["customerId", "too_long"],
    ["installmentOptions.0", "out_of_range"],
    ["installmentOptions", "duplicate"],
    ["successUrl", "invalid_url"],
    ["failureUrl", "invalid_url"],
    ["transactionType", "invalid_value"],
    ["threeDs", "invalid_type"],
    ["expiresInSeconds", "out_of_range"],
  ]);
  expect(checkouts.opened).toHaveLength(before);
});

test.each([
  [{ expiresInSeconds: 60 }, 201],
  [{ expiresInSeconds: 86_400 }, 201],
  [{ expiresInSeconds: 86_401 }, 400],
  [{ expiresInSeconds: 60.5 }, 400],
  [{ installmentOptions: [1, 12] }, 201],
  [{ installmentOptions: [13] }, 400],
  [{ installmentOptions: [1], transactionType: "PRE_AUTHORIZATION" }, 201],
  [{ installmentOptions: [1, 3], transactionType: "PRE_AUTHORIZATION" }, 400],
])("%j is answered with %d", async (change, status) => {
  expect((await create({ ...VALID, ...change })).status).toBe(status);
});

test("a checkout is read with its payment as the API shows it", async () => {
  const checkoutId = randomUUID();
  checkouts.answers.read = async () => ({
    outcome: "done",
    result: {
      ...recordOf({ ...VALID, checkoutId, amountMinor: "1250", transactionType: "PAYMENT", threeDs: true }),
      status: "COMPLETED",
      payment: paymentOf({ paymentId: randomUUID(), orderId: "order-1" }),
    },
  });
  const answer = await read(checkoutId);
  expect(answer).toMatchObject({
    status: 200,
    body: { checkoutId, status: "COMPLETED", payment: { status: "SUCCESS" } },
  });
  expect(answer.body["payment"]).not.toHaveProperty("cardSubType");
});

test("what is no UUID and what is unknown are one answer", async () => {
  checkouts.answers.read = async () => ({ outcome: "problem", code: "checkout_not_found" });
  for (const id of [randomUUID(), "x", "%00", "1"]) {
    expect(await read(id)).toMatchObject({ status: 404, body: { code: "checkout_not_found" } });
  }
});

test("a repetition is marked; what was not answered names no payment to look up", async () => {
  checkouts.answers.open = async (payload) => ({
    outcome: "done",
    result: recordOf(payload),
    replayed: true,
  });
  expect(await create(VALID)).toMatchObject({ status: 201, headers: { "idempotent-replayed": "true" } });
  checkouts.answers.open = async () => ({ outcome: "in_doubt" });
  const answer = await create(VALID);
  expect(answer).toMatchObject({ status: 504, body: { code: "outcome_unknown" } });
  expect(answer.body).not.toHaveProperty("paymentId");
});
