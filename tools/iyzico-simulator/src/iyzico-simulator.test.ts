import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHmac } from "node:crypto";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { LedgerLine } from "./bank/ledger-line.ts";
import { startIyzicoSimulator, type IyzicoSimulator } from "./iyzico-simulator.ts";
import { card, paymentBody, sandboxKeys, Shop, type Answer } from "./test/shop.ts";

const otherKeys = { apiKey: "sandbox-second", secretKey: "sandbox-second-secret" };
const merchants = [
  { ...sandboxKeys, merchantId: "1000001" },
  { ...otherKeys, merchantId: "1000002" },
];

let folder: string;
let ledgerFile: string;
let bank: IyzicoSimulator;
let shop: Shop;
let nowMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "iyzico-"));
  ledgerFile = join(folder, "ledger.ndjson");
  nowMs = Date.parse("2030-06-15T12:00:00Z");
  await start();
});
afterEach(async () => {
  await bank.close();
  await rm(folder, { recursive: true });
});

async function start(): Promise<void> {
  bank = await startIyzicoSimulator({ ledgerFile, merchants, now: () => nowMs });
  shop = new Shop(bank.url);
}

describe("a payment", () => {
  test("is answered with its facts and a signature over them", async () => {
    const { text, body } = await shop.post("/payment/auth", paymentBody());
    expect(body).toMatchObject({
      status: "success",
      locale: "en",
      systemTime: nowMs,
      conversationId: "shop-pay-1",
      price: 100,
      paidPrice: 100,
      installment: 1,
      paymentId: expect.stringMatching(/^\d+$/),
      fraudStatus: 1,
      cardType: "CREDIT_CARD",
      cardAssociation: "MASTER_CARD",
      cardFamily: "Paraf",
      binNumber: "552879",
      lastFourDigits: "0008",
      basketId: "basket-1",
      currency: "TRY",
      authCode: expect.stringMatching(/^\d{6}$/),
      hostReference: expect.stringMatching(/^\d{12}$/),
      phase: "AUTH",
      iyziCommissionRateAmount: 2.95,
      iyziCommissionFee: 0.25,
      merchantCommissionRate: 0,
    });
    expect(body["itemTransactions"]).toMatchObject([
      {
        itemId: "item-1",
        transactionStatus: 2,
        price: 60,
        paidPrice: 60,
        iyziCommissionRateAmount: 1.77,
        iyziCommissionFee: 0.15,
        merchantPayoutAmount: 58.08,
        convertedPayout: { currency: "TRY", merchantPayoutAmount: 58.08 },
      },
      { itemId: "item-2", paidPrice: 40, iyziCommissionFee: 0.1, merchantPayoutAmount: 38.72 },
    ]);
    expect(text).toContain('"price":100.00000000,');
    expect(body["signature"]).toBe(
      hmac(`${body.paymentId}:TRY:basket-1:shop-pay-1:100:100`, sandboxKeys.secretKey),
    );
  });

  test("has the installments' surcharge as the merchant's commission", async () => {
    const body = paymentBody({ paidPrice: "110.0", installment: 3 });
    const answer = await shop.succeed("/payment/auth", body);
    expect(answer).toMatchObject({
      paidPrice: 110,
      installment: 3,
      merchantCommissionRate: 10,
      merchantCommissionRateAmount: 10,
      itemTransactions: [{ paidPrice: 66 }, { paidPrice: 44 }],
    });
  });

  test("is a new one each time, also under one conversationId", async () => {
    const first = await shop.succeed("/payment/auth", paymentBody());
    const second = await shop.succeed("/payment/auth", paymentBody());
    expect(second.paymentId).not.toBe(first.paymentId);
    const { body } = await report({ paymentConversationId: "shop-pay-1" });
    expect(paymentsOf(body).map(({ paymentId }) => paymentId)).toEqual([first.paymentId, second.paymentId]);
  });

  test.each([
    ["numbers", { price: 100, paidPrice: 100.0 }],
    ["eight decimals", { price: "100.00000000", paidPrice: "100.00000000" }],
    ["a year of two digits", { paymentCard: card(undefined, { expireYear: "99", expireMonth: "1" }) }],
    ["no delivery of what is virtual", { shippingAddress: undefined, basketItems: [virtualItem()] }],
  ])("may be written with %s", async (_name, changes) => {
    await expect(shop.succeed("/payment/auth", paymentBody(changes))).resolves.toMatchObject({ price: 100 });
  });

  test.each([
    ["10051", "NOT_SUFFICIENT_FUNDS", "4111111111111129"],
    ["10005", "DO_NOT_HONOUR", "4129111111111111"],
    ["10012", "INVALID_TRANSACTION", "4128111111111112"],
    ["10041", "LOST_CARD", "4127111111111113"],
    ["10043", "STOLEN_CARD", "4126111111111114"],
    ["10054", "EXPIRED_CARD", "4125111111111115"],
    ["10084", "INVALID_CVC2", "4124111111111116"],
    ["10057", "NOT_PERMITTED_TO_CARDHOLDER", "4123111111111117"],
    ["10058", "NOT_PERMITTED_TO_TERMINAL", "4122111111111118"],
    ["10034", "FRAUD_SUSPECT", "4121111111111119"],
    ["10209", "BLOCKED_CARD", "4120111111111110"],
    ["10204", "GENERAL_ERROR", "4130111111111118"],
    ["10093", "RESTRICTED_BY_LAW", "4151111111111393"],
    ["10005", "DO_NOT_HONOUR", "4000000000000002"],
    ["10051", "NOT_SUFFICIENT_FUNDS", "4000000000009995"],
    ["10054", "EXPIRED_CARD", "4000000000000069"],
  ])("is declined with %s (%s) for the card %s", async (errorCode, errorGroup, number) => {
    const { httpStatus, body } = await shop.post(
      "/payment/auth",
      paymentBody({ paymentCard: card(number), locale: "tr" }),
    );
    expect(httpStatus).toBe(200);
    expect(body).toEqual({
      status: "failure",
      errorCode,
      errorMessage: expect.any(String),
      errorGroup,
      locale: "tr",
      systemTime: nowMs,
      conversationId: "shop-pay-1",
    });
    expect(await ledger()).toMatchObject([{ operation: "sale", outcome: "declined", resultCode: errorCode }]);
  });

  test.each([
    "5528790000000008",
    "5526080000000006",
    "4603450000000000",
    "5890040000000016",
    "9792072000017956",
    "374427000000003",
    "5400010000000004",
    "4054180000000007",
    "4131111111111117",
    "4141111111111115",
    "4151111111111112",
    "5406670000000009",
    "4111111111111111",
    "5555555555554444",
    "378282246310005",
    "9792000000000003",
    "4000000000003220",
  ])("is accepted for the card %s", async (number) => {
    expect(await shop.codeOf("/payment/auth", paymentBody({ paymentCard: card(number) }))).toBeUndefined();
  });

  test.each([
    ["12", { paymentCard: card("4111111111111112") }],
    ["12", { paymentCard: card("4111") }],
    ["13", { paymentCard: card(undefined, { expireMonth: "13" }) }],
    ["14", { paymentCard: card(undefined, { expireYear: "1999" }) }],
    ["15", { paymentCard: card(undefined, { cvc: "12" }) }],
    ["11", { price: "100.001" }],
    ["11", { price: "1e2" }],
    ["11", { currency: "JPY" }],
    ["11", { installment: 4 }],
    ["11", { buyer: { id: "buyer-1" } }],
    ["11", { billingAddress: undefined }],
    ["11", { shippingAddress: undefined }],
    ["11", { basketItems: [] }],
    ["5001", { basketItems: [{ ...virtualItem(), id: undefined }] }],
    ["5005", { paidPrice: "0.0" }],
    ["5062", { price: "99.99" }],
    ["5184", { currency: "USD" }],
  ])("is refused with %s, and leaves no trace: %o", async (code, changes) => {
    const { body } = await shop.post("/payment/auth", paymentBody(changes));
    expect(body).toMatchObject({ status: "failure", errorCode: code, conversationId: "shop-pay-1" });
    expect(await ledger()).toEqual([]);
    expect(paymentsOf((await report({ paymentConversationId: "shop-pay-1" })).body)).toEqual([]);
  });

  test("with a body that is no JSON is refused, and its text is not repeated", async () => {
    const { text, body } = await shop.post("/payment/auth", '{"cardNumber": 4111111111111111, "cvc": 987');
    expect(body.errorCode).toBe("11");
    expect(text).not.toMatch(/4111|987/);
  });

  test("larger than 128 KiB is refused", async () => {
    expect((await shop.post("/payment/auth", "x".repeat(128 * 1_024 + 1))).httpStatus).toBe(413);
  });
});

describe("a hold", () => {
  test("is captured once, in a smaller amount, and then has this amount", async () => {
    const { paymentId } = await shop.succeed("/payment/preauth", paymentBody());
    const held = await shop.succeed("/payment/detail", { paymentId });
    expect(held).toMatchObject({ paymentStatus: "SUCCESS", phase: "PRE_AUTH", paidPrice: 100 });

    const body = { ...followUp("cap-1"), paymentId, paidPrice: "50.5" };
    const captured = await shop.succeed("/payment/postauth", body);
    expect(captured).toMatchObject({
      conversationId: "cap-1",
      paymentId,
      price: 100,
      paidPrice: 50.5,
      phase: "POST_AUTH",
      itemTransactions: [{ paidPrice: 30.3 }, { paidPrice: 20.2 }],
      signature: hmac(`${paymentId}:TRY:basket-1:cap-1:50.5:100`, sandboxKeys.secretKey),
    });
    expect(await shop.codeOf("/payment/postauth", body)).toBe("10203");
    expect(await shop.succeed("/payment/detail", { paymentId })).toMatchObject({
      paidPrice: 50.5,
      phase: "POST_AUTH",
    });
    expect(await ledger()).toMatchObject([
      { operation: "authorize", amountMinor: 10_000, outcome: "approved" },
      {
        operation: "capture",
        amountMinor: 5_050,
        outcome: "approved",
        orderId: "shop-pay-1",
        conversationId: "cap-1",
      },
      { operation: "capture", outcome: "declined", resultCode: "10203" },
    ]);
  });

  test("is cancelled, and cannot be captured or refunded then", async () => {
    const { paymentId } = await shop.succeed("/payment/preauth", paymentBody());
    await shop.succeed("/payment/cancel", { ...followUp("can-1"), paymentId });
    expect(await shop.codeOf("/payment/postauth", { ...followUp(), paymentId, paidPrice: 1 })).toBe("10012");
    expect(await shop.codeOf("/v2/payment/refund", { ...followUp(), paymentId, price: 1 })).toBe("10012");
  });
});

describe("a cancel", () => {
  test("is of the whole payment and known to the inquiry", async () => {
    const { paymentId, hostReference } = await shop.succeed("/payment/auth", paymentBody());
    const cancelled = await shop.succeed("/payment/cancel", {
      ...followUp("can-1"),
      paymentId,
      reason: "OTHER",
      description: "İade",
    });
    expect(cancelled).toMatchObject({
      paymentId,
      price: 100,
      currency: "TRY",
      authCode: expect.any(String),
      hostReference,
      cancelHostReference: expect.any(String),
      connectorName: expect.any(String),
      conversationId: "can-1",
    });
    expect(cancelled).not.toHaveProperty("signature");
    expect(paymentsOf((await report({ paymentId: paymentId ?? "" })).body)).toMatchObject([
      {
        paymentStatus: 1,
        paymentRefundStatus: "NOT_REFUNDED",
        cancels: [
          {
            refundId: expect.any(String),
            cancelConversationId: "can-1",
            refundPrice: 100,
            refundStatus: 1,
            createdDate: new Date(nowMs).toISOString(),
            currencyCode: "TRY",
            hostReference: cancelled["cancelHostReference"],
          },
        ],
      },
    ]);
    expect(await shop.codeOf("/payment/cancel", { ...followUp(), paymentId })).toBe("10203");
    expect(await ledger()).toMatchObject([
      { operation: "sale" },
      { operation: "void", amountMinor: 10_000, outcome: "approved", orderId: "shop-pay-1" },
      { operation: "void", outcome: "declined" },
    ]);
  });

  test("that fails names the payment", async () => {
    const body = paymentBody({ paymentCard: card("5406670000000009") });
    const { paymentId } = await shop.succeed("/payment/auth", body);
    const { body: answer } = await shop.post("/payment/cancel", { ...followUp("can-1"), paymentId });
    expect(answer).toMatchObject({ status: "failure", errorCode: "10012", paymentId, retryable: false });
  });
});

describe("a refund", () => {
  test("is of an item, up to what it paid", async () => {
    const { paymentId, ...sale } = await shop.succeed("/payment/auth", paymentBody());
    const [item] = sale["itemTransactions"] as [{ paymentTransactionId: string }];
    const { paymentTransactionId } = item;
    const body = { ...followUp("ref-1"), paymentTransactionId, price: "20.5" };
    expect(await shop.succeed("/payment/refund", body)).toMatchObject({
      paymentId,
      paymentTransactionId,
      price: 20.5,
      currency: "TRY",
      refundHostReference: expect.any(String),
      retryable: false,
      signature: hmac(`${paymentId}:20.5:TRY:ref-1`, sandboxKeys.secretKey),
    });
    expect(await shop.codeOf("/payment/refund", { ...body, price: "39.51" })).toBe("5008");
    await shop.succeed("/payment/refund", { ...body, conversationId: "ref-2", price: "39.5" });
    expect(await shop.codeOf("/payment/cancel", { ...followUp(), paymentId })).toBe("10012");
    const [payment] = paymentsOf((await report({ paymentId: paymentId ?? "" })).body);
    expect(payment).toMatchObject({
      paymentRefundStatus: "PARTIALLY_REFUNDED",
      itemTransactions: [
        {
          paymentTransactionId,
          refunds: [
            { refundConversationId: "ref-1", refundPrice: 20.5, isAfterSettlement: false },
            { refundConversationId: "ref-2", refundPrice: 39.5, refundStatus: 1, currencyCode: "TRY" },
          ],
        },
        { refunds: [] },
      ],
    });
  });

  test("is of an amount, for which the bank chooses the items", async () => {
    const { paymentId } = await shop.succeed("/payment/auth", paymentBody());
    const body = { ...followUp("ref-1"), paymentId, price: "100.0" };
    expect(await shop.succeed("/v2/payment/refund", body)).toMatchObject({
      paymentId,
      price: 100,
      signature: hmac(`${paymentId}:ref-1`, sandboxKeys.secretKey),
    });
    const [payment] = paymentsOf((await report({ paymentId: paymentId ?? "" })).body);
    expect(payment).toMatchObject({
      paymentRefundStatus: "TOTALLY_REFUNDED",
      itemTransactions: [{ refunds: [{ refundPrice: 60 }] }, { refunds: [{ refundPrice: 40 }] }],
    });
    expect(await shop.codeOf("/v2/payment/refund", { ...body, price: "0.01" })).toBe("5008");
  });

  test("is done twice when it is asked twice", async () => {
    const { paymentId } = await shop.succeed("/payment/auth", paymentBody());
    const body = { ...followUp("ref-1"), paymentId, price: "10.0" };
    await shop.succeed("/v2/payment/refund", body);
    await shop.succeed("/v2/payment/refund", body);
    const refunds = (await ledger()).filter(({ operation }) => operation === "refund");
    expect(refunds).toMatchObject([
      { amountMinor: 1_000, conversationId: "ref-1", orderId: "shop-pay-1" },
      { amountMinor: 1_000, conversationId: "ref-1" },
    ]);
    expect(new Set(refunds.map(({ transactionId }) => transactionId)).size).toBe(2);
  });

  test("comes within 365 days", async () => {
    const { paymentId } = await shop.succeed("/payment/auth", paymentBody());
    nowMs += 365 * 86_400_000 + 1;
    expect(await shop.codeOf("/v2/payment/refund", { ...followUp(), paymentId, price: 1 })).toBe("10246");
  });
});

describe("an inquiry", () => {
  test("of an id that was never seen is an empty list, or, of a detail, a failure", async () => {
    const { body } = await report({ paymentConversationId: "never-seen" });
    expect(body).toMatchObject({ status: "success", payments: [] });
    expect((await report({ paymentId: "1" })).body).toMatchObject({ status: "success", payments: [] });
    expect(await shop.codeOf("/payment/detail", { paymentConversationId: "never-seen" })).toBe("5002");
    expect(await shop.codeOf("/payment/detail", {})).toBe("5002");
    expect((await report({})).body.errorCode).toBe("5002");
  });

  test("tells a decline from a success", async () => {
    const declined = paymentBody({ conversationId: "declined-1", paymentCard: card("4129111111111111") });
    await shop.post("/payment/auth", declined);
    expect(paymentsOf((await report({ paymentConversationId: "declined-1" })).body)).toMatchObject([
      { paymentStatus: 0, errorCode: "10005", paymentConversationId: "declined-1", cancels: [] },
    ]);
    const detail = await shop.succeed("/payment/detail", { paymentConversationId: "declined-1" });
    expect(detail).toMatchObject({ paymentStatus: "FAILURE", errorGroup: "DO_NOT_HONOUR" });
  });

  test("of a detail repeats the inquiry's conversationId, or names the payment's", async () => {
    const { paymentId } = await shop.succeed("/payment/auth", paymentBody());
    const asked = await shop.succeed("/payment/detail", { paymentId, conversationId: "ask-1" });
    expect(asked).toMatchObject({
      conversationId: "ask-1",
      signature: hmac(`${paymentId}:TRY:basket-1:ask-1:100:100`, sandboxKeys.secretKey),
    });
    const { conversationId } = await shop.succeed("/payment/detail", { paymentId });
    expect(conversationId).toBe("shop-pay-1");
  });

  test("goes back two years", async () => {
    await shop.succeed("/payment/auth", paymentBody());
    nowMs += 2 * 365 * 86_400_000 + 1;
    expect(paymentsOf((await report({ paymentConversationId: "shop-pay-1" })).body)).toEqual([]);
  });

  test("has a day's transactions in pages", async () => {
    const { paymentId } = await shop.succeed("/payment/auth", paymentBody());
    await shop.succeed("/v2/payment/refund", { ...followUp("ref-1"), paymentId, price: "70.0" });
    const hold = await shop.succeed("/payment/preauth", paymentBody({ conversationId: "hold-1" }));
    await shop.succeed("/payment/cancel", { ...followUp("can-1"), paymentId: hold.paymentId });
    for (let count = 0; count < 2; count += 1) await shop.succeed("/payment/auth", paymentBody());

    const path = "/v2/reporting/payment/transactions";
    const first = await shop.get(path, { transactionDate: "2030-06-15", page: "1" });
    const second = await shop.get(path, { transactionDate: "2030-06-15 00:00:00", page: "2" });
    expect(first.body).toMatchObject({ currentPage: 1, totalPageCount: 2 });
    const rows = [...rowsOf(first.body), ...rowsOf(second.body)];
    expect(
      rows.map(({ transactionType, conversationId, paidPrice }) => [
        transactionType,
        conversationId,
        paidPrice,
      ]),
    ).toEqual([
      ["PAYMENT", "shop-pay-1", 60],
      ["PAYMENT", "shop-pay-1", 40],
      ["REFUND", "ref-1", 60],
      ["REFUND", "ref-1", 10],
      ["PAYMENT", "hold-1", 60],
      ["PAYMENT", "hold-1", 40],
      ["CANCEL", "can-1", 60],
      ["CANCEL", "can-1", 40],
      ["PAYMENT", "shop-pay-1", 60],
      ["PAYMENT", "shop-pay-1", 40],
      ["PAYMENT", "shop-pay-1", 60],
      ["PAYMENT", "shop-pay-1", 40],
    ]);
    expect(rows[0]).toMatchObject({
      paymentId,
      transactionDate: "2030-06-15 15:00:00",
      merchantPayoutAmount: 58.08,
    });
    expect(rowsOf((await shop.get(path, { transactionDate: "2030-06-14" })).body)).toEqual([]);
    const scroll = "/v2/reporting/payment/scroll-transactions";
    const begun = await shop.get(scroll, { transactionDate: "2030-06-15" });
    const lastId = String(begun.body["lastId"]);
    const rest = await shop.get(scroll, { transactionDate: "2030-06-15", lastId });
    expect([rowsOf(begun.body).length, rowsOf(rest.body).length]).toEqual([10, 2]);
    const backwards = await shop.get(scroll, {
      transactionDate: "2030-06-15",
      documentScrollVoSortingOrder: "DESC",
    });
    expect(rowsOf(backwards.body)[0]).toEqual(rows.at(-1));
  });
});

test("a BIN is known, or at least its scheme", async () => {
  const ask = (binNumber: string) => shop.succeed("/payment/bin/check", { binNumber });
  expect(await ask("55287900")).toMatchObject({
    binNumber: "55287900",
    cardType: "CREDIT_CARD",
    cardAssociation: "MASTER_CARD",
    cardFamily: "Paraf",
    bankName: "Halk Bankası",
    bankCode: 12,
    commercial: 0,
  });
  expect(await ask("411111")).toMatchObject({ cardAssociation: "VISA", bankName: "" });
  expect(await shop.codeOf("/payment/bin/check", { binNumber: "4111" })).toBe("5006");
});

test("installments have a fixed price, and a debit card has none", async () => {
  const path = "/payment/iyzipos/installment";
  const { installmentDetails } = await shop.succeed(path, { binNumber: "552879", price: "100.0" });
  expect(installmentDetails).toMatchObject([
    {
      binNumber: "552879",
      price: 100,
      cardFamilyName: "Paraf",
      force3ds: 0,
      forceCvc: 0,
      installmentPrices: [
        { installmentNumber: 1, installmentPrice: 100, totalPrice: 100 },
        { installmentNumber: 2, installmentPrice: 51, totalPrice: 102 },
        { installmentNumber: 3, installmentPrice: 34.33333333, totalPrice: 103 },
        { installmentNumber: 6, totalPrice: 106 },
        { installmentNumber: 9, totalPrice: 109 },
        { installmentNumber: 12, totalPrice: 112 },
      ],
    },
  ]);
  const debit = await shop.succeed(path, { binNumber: "589004", price: "100.0" });
  expect(debit["installmentDetails"]).toMatchObject([{ installmentPrices: [{ installmentNumber: 1 }] }]);
  expect(await shop.codeOf(path, { binNumber: "552879", price: 0 })).toBe("5005");
});

test("a merchant sees its own payments only", async () => {
  const { paymentId, ...sale } = await shop.succeed("/payment/auth", paymentBody());
  const [item] = sale["itemTransactions"] as [{ paymentTransactionId: string }];
  const { paymentTransactionId } = item;
  const other = new Shop(bank.url, otherKeys);
  expect(await other.codeOf("/payment/detail", { paymentId })).toBe("5002");
  expect(await other.codeOf("/payment/cancel", { ...followUp(), paymentId })).toBe("5002");
  expect(await other.codeOf("/payment/postauth", { ...followUp(), paymentId, paidPrice: 1 })).toBe("5002");
  expect(await other.codeOf("/v2/payment/refund", { ...followUp(), paymentId, price: 1 })).toBe("5002");
  expect(await other.codeOf("/payment/refund", { ...followUp(), paymentTransactionId, price: 1 })).toBe(
    "5001",
  );
  const seen = await other.get("/v2/reporting/payment/details", { paymentConversationId: "shop-pay-1" });
  expect(paymentsOf(seen.body)).toEqual([]);
  const day = await other.get("/v2/reporting/payment/transactions", { transactionDate: "2030-06-15" });
  expect(rowsOf(day.body)).toEqual([]);
  const mixed = new Shop(bank.url, { ...otherKeys, secretKey: sandboxKeys.secretKey });
  expect(await mixed.codeOf("/payment/detail", { paymentId })).toBe("1000");
});

test("a key that nobody has is refused with 1001, before the body is read", async () => {
  const stranger = new Shop(bank.url, { apiKey: "sandbox-nobody", secretKey: "x" });
  expect(await stranger.codeOf("/payment/auth", "no json")).toBe("1001");
});

test("the ledger has a line for each judgement, with the card number masked, and goes on after a restart", async () => {
  const { paymentId } = await shop.succeed("/payment/auth", paymentBody());
  await shop.succeed("/v2/payment/refund", { ...followUp("ref-1"), paymentId, price: "70.0" });
  const [payment] = paymentsOf((await report({ paymentId: paymentId ?? "" })).body);
  const lines = await ledger();
  expect(lines[0]).toMatchObject({
    sequence: 1,
    at: new Date(nowMs).toISOString(),
    operation: "sale",
    orderId: "shop-pay-1",
    transactionId: paymentId,
    amountMinor: 10_000,
    currency: "TRY",
    outcome: "approved",
    pan: "552879******0008",
    basketId: "basket-1",
    merchantId: "1000001",
  });
  await bank.close();
  await start();
  expect(await ledger()).toEqual(lines);
  expect(paymentsOf((await report({ paymentId: paymentId ?? "" })).body)).toEqual([payment]);
  const next = await shop.succeed("/payment/auth", paymentBody());
  expect(await shop.codeOf("/v2/payment/refund", { ...followUp(), paymentId, price: "30.01" })).toBe("5008");
  const ids = JSON.stringify(lines);
  expect(ids).not.toContain(`"${next.paymentId}"`);
  expect(await readFile(ledgerFile, "utf8")).not.toMatch(/5528790000000008|Ayse|ayse@|"123"|11111111111/);
});

test("GET /ledger?since= leaves out what is older", async () => {
  await shop.succeed("/payment/auth", paymentBody());
  nowMs += 1_000;
  await shop.succeed("/payment/auth", paymentBody());
  expect((await ledger("?since=1")).map(({ sequence }) => sequence)).toEqual([2]);
  const time = encodeURIComponent(new Date(nowMs).toISOString());
  expect((await ledger(`?since=${time}`)).map(({ sequence }) => sequence)).toEqual([2]);
});

test("what is no endpoint is answered 404, and the process is alive", async () => {
  expect((await fetch(`${bank.url}/payment/nothing`)).status).toBe(404);
  expect((await fetch(`${bank.url}/livez`)).status).toBe(200);
  expect((await shop.get("/payment/test")).body).toMatchObject({ status: "success" });
});

function followUp(conversationId = "again-1") {
  return { locale: "en", conversationId, ip: "203.0.113.7", currency: "TRY" };
}

function virtualItem() {
  return { id: "item-1", name: "Song", category1: "Music", itemType: "VIRTUAL", price: "100.0" };
}

function report(query: Record<string, string>) {
  return shop.get("/v2/reporting/payment/details", query);
}

function paymentsOf(body: Answer): Answer[] {
  return body["payments"] as Answer[];
}

function rowsOf(body: Answer): Answer[] {
  return body["transactions"] as Answer[];
}

async function ledger(query = ""): Promise<LedgerLine[]> {
  const text = await (await fetch(`${bank.url}/ledger${query}`)).text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LedgerLine);
}

function hmac(text: string, key: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}
