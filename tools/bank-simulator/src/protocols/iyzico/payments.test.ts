import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { sandboxKeys, card, paymentBody, Shop } from "./test/shop.ts";
import { followUp, hmac, startTestBank } from "./test/test-bank.ts";

test("a payment is answered with its facts and a signature over them", async () => {
  await using bank = await startTestBank();
  const { text, body } = await bank.shop.post("/payment/auth", paymentBody());
  expect(body).toMatchObject({
    status: "success",
    locale: "en",
    systemTime: bank.clock.nowMs,
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
  const convertedPayout = { currency: "TRY", merchantPayoutAmount: 58.08 };
  expect(body["itemTransactions"]).toMatchObject([
    { itemId: "item-1", transactionStatus: 2, price: 60, iyziCommissionFee: 0.15, convertedPayout },
    { itemId: "item-2", paidPrice: 40, iyziCommissionFee: 0.1, merchantPayoutAmount: 38.72 },
  ]);
  expect(text).toContain('"price":100.00000000,');
  expect(body["signature"]).toBe(hmac(`${body.paymentId}:TRY:basket-1:shop-pay-1:100:100`));
});

const virtual = { id: "item-1", name: "Song", category1: "Music", itemType: "VIRTUAL", price: "100.0" };

test.each([
  ["as numbers", { price: 100, paidPrice: 100.0 }, { paidPrice: 100 }],
  ["with eight decimals", { price: "100.00000000" }, { price: 100 }],
  [
    "with a year of two digits",
    { paymentCard: card(undefined, { expireYear: "30", expireMonth: "6" }) },
    { price: 100 },
  ],
  [
    "without the delivery of what is virtual",
    { shippingAddress: undefined, basketItems: [virtual] },
    { price: 100 },
  ],
  [
    "with the surcharge of its installments",
    { paidPrice: "110.0", installment: 3 },
    {
      merchantCommissionRate: 10,
      merchantCommissionRateAmount: 10,
      itemTransactions: [{ paidPrice: 66 }, { paidPrice: 44 }],
    },
  ],
])("a payment may be written %s", async (_name, changes, answer) => {
  await using bank = await startTestBank();
  expect(await bank.shop.succeed("/payment/auth", paymentBody(changes))).toMatchObject(answer);
});

test.each(
  Object.entries({
    "10005": ["4129111111111111", "4000000000000002"],
    "10012": ["4128111111111112"],
    "10034": ["4121111111111119"],
    "10041": ["4127111111111113"],
    "10043": ["4126111111111114"],
    "10051": ["4111111111111129", "4000000000009995"],
    "10054": ["4125111111111115", "4000000000000069"],
    "10057": ["4123111111111117"],
    "10058": ["4122111111111118"],
    "10084": ["4124111111111116"],
    "10093": ["4151111111111393"],
    "10204": ["4130111111111118"],
    "10209": ["4120111111111110"],
    approved:
      "5528790000000008 5526080000000006 4603450000000000 5890040000000016 9792072000017956 374427000000003 5400010000000004 4054180000000007 4131111111111117 4151111111111112 5406670000000009 4111111111111111 4000000000003220".split(
        " ",
      ),
  }),
)("the outcome %s is that of its cards", async (code, numbers) => {
  await using bank = await startTestBank();
  const isApproved = code === "approved";
  for (const number of numbers) {
    const body = paymentBody({ paymentCard: card(number) });
    expect((await bank.shop.post("/payment/auth", body)).body.errorCode ?? "approved").toBe(code);
    expect((await bank.ledger()).at(-1)).toMatchObject({
      outcome: isApproved ? "approved" : "declined",
      resultCode: isApproved ? null : code,
    });
  }
});

test("a decline is answered with its code and group, and with HTTP 200", async () => {
  await using bank = await startTestBank();
  const request = paymentBody({ paymentCard: card("4129111111111111"), locale: "tr" });
  expect((await bank.shop.post("/payment/auth", request)).body).toEqual({
    status: "failure",
    errorCode: "10005",
    errorMessage: expect.any(String),
    errorGroup: "DO_NOT_HONOUR",
    locale: "tr",
    systemTime: bank.clock.nowMs,
    conversationId: "shop-pay-1",
  });
  expect(await bank.report({ paymentConversationId: "shop-pay-1" })).toMatchObject([
    { paymentStatus: 0, errorCode: "10005", cancels: [] },
  ]);
  const detail = await bank.shop.succeed("/payment/detail", { paymentConversationId: "shop-pay-1" });
  expect(detail).toMatchObject({ paymentStatus: "FAILURE", errorGroup: "DO_NOT_HONOUR" });
});

const costs = (price: string) => ({ price, paidPrice: price, basketItems: [{ ...virtual, price }] });

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
  ["5001", { basketItems: [{ ...virtual, id: undefined }] }],
  ["5005", { paidPrice: "0.0" }],
  ["5005", costs("0")],
  ["5008", costs("100000.01")],
  ["5008", { paidPrice: "100000.01" }],
  ["5062", { price: "99.99" }],
  ["5184", { currency: "USD" }],
  ["10218", { installment: 3, paymentCard: card("5890040000000016") }],
  [undefined, costs("100000")],
  [undefined, { currency: "USD", paymentCard: card("5400010000000004") }],
])("a request is refused with %s, and leaves no trace: %o", async (code, changes) => {
  await using bank = await startTestBank();
  const { body } = await bank.shop.post("/payment/auth", paymentBody(changes));
  expect(body).toMatchObject({ conversationId: "shop-pay-1" });
  expect(body.errorCode).toBe(code);
  expect(await bank.ledger()).toHaveLength(code === undefined ? 1 : 0);
});

test("a body that is no JSON or too large is refused, and its text is not repeated", async () => {
  await using bank = await startTestBank();
  const { text, body } = await bank.shop.post("/payment/auth", '{"cardNumber": 4111111111111111, "cvc": 987');
  expect(body.errorCode).toBe("11");
  expect(text).not.toMatch(/4111|987/);
  expect((await bank.shop.post("/payment/auth", "x".repeat(128 * 1_024 + 1))).httpStatus).toBe(413);
});

test("a hold is captured in a smaller amount, and then has this amount", async () => {
  await using bank = await startTestBank();
  const { paymentId } = await bank.shop.succeed("/payment/preauth", paymentBody());
  expect(await bank.shop.succeed("/payment/detail", { paymentId })).toMatchObject({ phase: "PRE_AUTH" });
  const body = { ...followUp("cap-1"), paymentId, paidPrice: "50.5" };
  expect(await bank.shop.succeed("/payment/postauth", body)).toMatchObject({
    conversationId: "cap-1",
    paymentId,
    price: 100,
    paidPrice: 50.5,
    phase: "POST_AUTH",
    itemTransactions: [{ paidPrice: 30.3 }, { paidPrice: 20.2 }],
    signature: hmac(`${paymentId}:TRY:basket-1:cap-1:50.5:100`),
  });
  await bank.shop.post("/payment/postauth", body);
  const detail = await bank.shop.succeed("/payment/detail", { paymentId });
  expect(detail).toMatchObject({ paidPrice: 50.5, phase: "POST_AUTH", paymentStatus: "SUCCESS" });
  const ids = { orderId: "shop-pay-1", transactionId: paymentId };
  expect(await bank.ledger()).toMatchObject([
    { operation: "authorize", amountMinor: 10_000, outcome: "approved", ...ids },
    { operation: "capture", amountMinor: 5_050, outcome: "approved", conversationId: "cap-1", ...ids },
    { operation: "capture", outcome: "declined", resultCode: "10203" },
  ]);
});

test("a cancel is of the whole payment, known to the inquiry and not signed", async () => {
  await using bank = await startTestBank();
  const { paymentId, hostReference } = await bank.shop.succeed("/payment/auth", paymentBody());
  const body = { ...followUp("can-1"), paymentId, reason: "OTHER", description: "İade" };
  const cancelled = await bank.shop.succeed("/payment/cancel", body);
  expect(cancelled).toMatchObject({ paymentId, price: 100, hostReference, conversationId: "can-1" });
  expect(cancelled).not.toHaveProperty("signature");
  const cancel = {
    cancelConversationId: "can-1",
    refundPrice: 100,
    createdDate: new Date(bank.clock.nowMs).toISOString(),
    hostReference: cancelled["cancelHostReference"],
  };
  expect(await bank.report({ paymentId })).toMatchObject([
    { paymentStatus: 1, paymentRefundStatus: "NOT_REFUNDED", cancels: [cancel] },
  ]);
  const { body: again } = await bank.shop.post("/payment/cancel", body);
  expect(again).toMatchObject({ status: "failure", errorCode: "10203", paymentId, retryable: false });
});

test("a refund is of an item, or of an amount, for which the bank chooses the items", async () => {
  await using bank = await startTestBank();
  const { paymentId, ...sale } = await bank.shop.succeed("/payment/auth", paymentBody());
  const [{ paymentTransactionId }] = sale["itemTransactions"] as [{ paymentTransactionId: string }];
  const ofItem = { ...followUp("ref-1"), paymentTransactionId, price: "20.5" };
  expect(await bank.shop.succeed("/payment/refund", ofItem)).toMatchObject({
    paymentId,
    paymentTransactionId,
    price: 20.5,
    refundHostReference: expect.any(String),
    signature: hmac(`${paymentId}:20.5:TRY:ref-1`),
  });
  expect(await bank.shop.codeOf("/payment/refund", { ...ofItem, price: "39.51" })).toBe("5008");
  const ofAmount = { ...followUp("ref-2"), paymentId, price: "50" };
  const signature = hmac(`${paymentId}:ref-2`);
  expect(await bank.shop.succeed("/v2/payment/refund", ofAmount)).toMatchObject({ price: 50, signature });
  const refund = { refundStatus: 1, currencyCode: "TRY", isAfterSettlement: false };
  const first = { ...refund, refundConversationId: "ref-1", refundPrice: 20.5 };
  const parts = [
    { refunds: [first, { refundPrice: 39.5 }] },
    { refunds: [{ ...refund, refundPrice: 10.5 }] },
  ];
  expect(await bank.report({ paymentId })).toMatchObject([
    { paymentRefundStatus: "PARTIALLY_REFUNDED", itemTransactions: parts },
  ]);
  // The calls have no key that would identify a repetition.
  await bank.shop.succeed("/v2/payment/refund", { ...ofAmount, price: "14.75" });
  await bank.shop.succeed("/v2/payment/refund", { ...ofAmount, price: "14.75" });
  expect(await bank.report({ paymentId })).toMatchObject([{ paymentRefundStatus: "TOTALLY_REFUNDED" }]);
  const ids = (await bank.ledger()).map(({ transactionId }) => transactionId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("an inquiry is about all payments of an id, or about the newest, for two years", async () => {
  await using bank = await startTestBank();
  const paymentConversationId = "shop-pay-1";
  expect(await bank.report({ paymentConversationId })).toEqual([]);
  expect(await bank.report({ paymentId: "1" })).toEqual([]);
  expect(await bank.shop.codeOf("/payment/detail", { paymentConversationId })).toBe("5002");
  expect(await bank.shop.codeOf("/payment/detail", {})).toBe("5002");
  const first = await bank.shop.succeed("/payment/auth", paymentBody());
  const { paymentId } = await bank.shop.succeed("/payment/auth", paymentBody());
  const found = await bank.report({ paymentConversationId });
  expect(found.map((payment) => payment.paymentId)).toEqual([first.paymentId, paymentId]);
  const asked = await bank.shop.succeed("/payment/detail", {
    paymentConversationId,
    conversationId: "ask-1",
  });
  expect(asked).toMatchObject({ signature: hmac(`${paymentId}:TRY:basket-1:ask-1:100:100`) });
  expect(await bank.shop.succeed("/payment/detail", { paymentId })).toMatchObject({
    conversationId: "shop-pay-1",
  });
  bank.clock.nowMs += 2 * 365 * 86_400_000 + 1;
  expect(await bank.report({ paymentConversationId })).toEqual([]);
});

test("a merchant sees its own payments only, and an unknown key is refused before the body is read", async () => {
  await using bank = await startTestBank();
  const { paymentId, ...sale } = await bank.shop.succeed("/payment/auth", paymentBody());
  const [{ paymentTransactionId }] = sale["itemTransactions"] as [{ paymentTransactionId: string }];
  const follow = { ...followUp(), paymentId, paymentTransactionId, paidPrice: 1, price: 1 };
  for (const path of ["/payment/detail", "/payment/cancel", "/payment/postauth", "/v2/payment/refund"])
    expect(await bank.other.codeOf(path, follow)).toBe("5002");
  expect(await bank.other.codeOf("/payment/refund", follow)).toBe("5001");
  const day = { transactionDate: "2030-06-16" };
  const { body } = await bank.other.get("/v2/reporting/payment/transactions", day);
  expect(body["transactions"]).toEqual([]);
  const stranger = new Shop(bank, { ...sandboxKeys, apiKey: "sandbox-nobody" });
  expect(await stranger.codeOf("/payment/auth", "no json")).toBe("1001");
});

test("a restart finds the same payments under ids that are not given again, and no card data is kept", async () => {
  await using bank = await startTestBank();
  const { paymentId } = await bank.shop.succeed("/payment/auth", paymentBody());
  await bank.shop.succeed("/v2/payment/refund", { ...followUp(), paymentId, price: "70.0" });
  const [lines, report] = [await bank.ledger(), await bank.report({ paymentId })];
  expect(lines[0]).toMatchObject({ pan: "552879******0008", basketId: "basket-1", merchantId: "1000001" });
  await bank.restart();
  expect([await bank.ledger(), await bank.report({ paymentId })]).toEqual([lines, report]);
  const next = await bank.shop.succeed("/payment/auth", paymentBody());
  expect(JSON.stringify(lines)).not.toContain(`"${next.paymentId}"`);
  expect(await readFile(bank.ledgerFile, "utf8")).not.toMatch(/5528790000000008|Ayse|ayse@|"123"|1{11}/);
});

test("BINs and installments have a fixed table", async () => {
  await using bank = await startTestBank();
  const bin = (binNumber: string) => bank.shop.succeed("/payment/bin/check", { binNumber });
  const bankFields = { cardFamily: "Paraf", bankName: "Halk Bankası", bankCode: 12, commercial: 0 };
  expect(await bin("55287900")).toMatchObject({ cardType: "CREDIT_CARD", ...bankFields });
  expect(await bin("411111")).toMatchObject({ cardAssociation: "VISA", bankName: "" });
  expect(await bank.shop.codeOf("/payment/bin/check", { binNumber: "4111" })).toBe("5006");
  const prices = async (binNumber: string) => {
    const body = { binNumber, price: "100.0" };
    const { installmentDetails } = await bank.shop.succeed("/payment/iyzipos/installment", body);
    const [detail] = installmentDetails as [{ installmentPrices: Record<string, number>[] }];
    return detail.installmentPrices.map((each) => Object.values(each));
  };
  expect(await prices("552879")).toEqual([
    [100, 100, 1],
    [51, 102, 2],
    [34.33333333, 103, 3],
    [17.66666666, 106, 6],
    [12.11111111, 109, 9],
    [9.33333333, 112, 12],
  ]);
  expect(await prices("589004")).toHaveLength(1);
});
