import { operations, type BinInfo, type CommandReply } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { serveCommands } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectCommonHeaders, expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";

const KNOWN: BinInfo = {
  bin: "41111111",
  cardScheme: "VISA",
  cardType: "CREDIT",
  cardSubType: "CLASSIC",
  country: "TR",
  domInt: "DOM",
  installmentCounts: [1, 2, 3],
};

let gateway: TestGateway;
let payments: Awaited<ReturnType<typeof serveCommands>>;
let merchant: TestMerchant;
let reply: () => Promise<CommandReply<BinInfo>>;
const asked: string[] = [];
let order: unknown;

beforeAll(async () => {
  gateway = await startTestGateway();
  payments = await serveCommands(gateway.nats.url, "payments", [
    handler(operations.getBin.command, async ({ payload }) => {
      asked.push(payload.bin);
      order = payload.order;
      return await reply();
    }),
  ]);
  merchant = await gateway.createMerchant();
});
beforeEach(() => void (asked.length = 0));
afterAll(async () => {
  await payments.stop();
  await gateway.stop();
});

const get = (bin: string, headers: Record<string, string> = merchant.headers) =>
  gateway.merchantApi({ path: `/api/bins/${bin}`, headers });

describe("GET /api/bins/{bin}", () => {
  test.each(["411111", "4111111", "41111111"])("answers for %s with what payments says", async (bin) => {
    reply = async () => ({ outcome: "done", result: { ...KNOWN, bin } });
    const answer = await get(bin);
    expect(answer).toMatchObject({ status: 200, body: { ...KNOWN, bin } });
    expectCommonHeaders(answer);
    expect(asked).toEqual([bin]);
  });

  test.each([
    ["?amount=1249.90&currency=TRY", { amountMinor: "124990", currency: "TRY" }],
    ["?currency=JPY&amount=1.25e3", { amountMinor: "1250", currency: "JPY" }],
    ["?amount=1.2345&currency=UYW", { amountMinor: "12345", currency: "UYW" }],
    ["", undefined],
  ])("asks with %s what the order's installments cost", async (query, expected) => {
    reply = async () => ({ outcome: "done", result: KNOWN });
    expect(await get(`411111${query}`)).toMatchObject({ status: 200 });
    expect(order).toEqual(expected);
  });

  test.each([
    ["?amount=12", "currency", "required"],
    ["?currency=TRY", "amount", "required"],
    ["?amount=12.345&currency=TRY", "amount", "too_many_decimals"],
    ["?amount=0&currency=TRY", "amount", "must_be_positive"],
    ["?amount=-1&currency=TRY", "amount", "invalid_amount"],
    ["?amount=1000000000&currency=TRY", "amount", "too_large"],
    ["?amount=1&currency=XXX", "currency", "invalid_currency"],
    ["?amount=1&amount=2&currency=TRY", "amount", "invalid_type"],
    ["?price=1", "price", "unknown_parameter"],
  ])("refuses %s by its field, unasked", async (query, field, code) => {
    const answer = await get(`411111${query}`);
    const errors = [{ field, code, message: expect.any(String) as string }];
    expectProblem(answer, "validation_failed", { errors });
    expect(asked).toEqual([]);
  });

  test("is a 404 where nothing is known", async () => {
    reply = async () => ({ outcome: "problem", code: "bin_not_found" });
    expectProblem(await get("999999"), "bin_not_found");
  });

  test("is a 503 where payments does not say", async () => {
    reply = async () => ({ outcome: "not_started" });
    expectProblem(await get("411111"), "service_unavailable");
  });

  test.each([
    "41111",
    "411111111",
    "4111111111111111",
    "41111x",
    "411111%0A",
    "%EF%BC%94%EF%BC%91%EF%BC%91%EF%BC%91%EF%BC%91%EF%BC%91",
  ])("refuses %s unasked, and does not repeat it", async (bin) => {
    const answer = await get(bin);
    expectProblem(answer, "validation_failed", {
      errors: [{ field: "bin", code: "invalid_format", message: "must be 6 to 8 digits" }],
    });
    expect(answer.text).not.toContain("411111");
    expect(asked).toEqual([]);
  });

  test("is for merchants who have signed in", async () => {
    expectProblem(await get("411111", {}), "unauthorized");
  });
});
