// The unkindnesses of every bank, and those that iyzico's protocol adds.
import { expect, test } from "vitest";

import { followUp, startTestBank, type TestBank } from "./test/test-bank.ts";
import { paymentBody, type Answer } from "./test/shop.ts";

const pay = async ({ shop }: TestBank) => (await shop.succeed("/payment/auth", paymentBody())).paymentId!;
const refund = async ({ shop }: TestBank, paymentId: string, price: string) =>
  (await shop.post("/v2/payment/refund", { ...followUp(), paymentId, price })).body;

test("a clock that is off is in the times of answers and inquiries, and not in the ledger's", async () => {
  await using bank = await startTestBank();
  await bank.modes({ clockOffsetSeconds: -180, zone: "UTC" });
  const paymentId = await pay(bank);
  const { body } = await bank.shop.post("/payment/detail", { paymentId });
  expect(body["systemTime"]).toBe(Date.parse("2030-06-15T21:27:00Z"));
  expect((await bank.report({ paymentId }))[0]?.["createdDate"]).toBe("2030-06-15T21:27:00.000Z");
  expect((await bank.ledger())[0]?.at).toBe("2030-06-15T21:30:00.000Z");
});

test("a second equal refund in the duplicate window has the first one's name and no effect", async () => {
  await using bank = await startTestBank();
  await bank.modes({ duplicateWindowSeconds: 60 });
  const paymentId = await pay(bank);
  const first = await refund(bank, paymentId, "20.0");
  const second = await refund(bank, paymentId, "20.0");
  expect([second.status, second["refundHostReference"]]).toEqual(["success", first["refundHostReference"]]);
  expect(await bank.movements()).toBe("sale approved, refund approved");
  bank.clock.nowMs += 60_000;
  expect((await refund(bank, paymentId, "20.0"))["refundHostReference"]).not.toBe(
    first["refundHostReference"],
  );
  expect(await bank.movements()).toBe("sale approved, refund approved, refund approved");
});

test.each([
  ["both", "name", "name"],
  ["answer_only", "name", undefined],
  ["record_only", undefined, "name"],
  ["differ", "name", "reported-name"],
])("a refund has its name in %s", async (refundNames, answered, shown) => {
  await using bank = await startTestBank();
  await bank.modes({ refundNames });
  const paymentId = await pay(bank);
  const answer = await refund(bank, paymentId, "20.0");
  const name = (await bank.ledger()).at(-1)!.hostReference;
  const [payment = {}] = await bank.report({ paymentId });
  const [item] = payment["itemTransactions"] as { refunds: Answer[] }[];
  expect(answer["refundHostReference"]).toBe(answered?.replace("name", name));
  expect(item!.refunds[0]!["hostReference"]).toBe(shown?.replace("name", name));
});

test("inquiries that lag show payments, refunds and cancels when they are old enough", async () => {
  await using bank = await startTestBank();
  await bank.modes({ historyLagSeconds: 60 });
  const paymentId = await pay(bank);
  expect(await bank.report({ paymentConversationId: "shop-pay-1" })).toEqual([]);
  bank.clock.nowMs += 60_000;
  await refund(bank, paymentId, "20.0");
  const status = async () => (await bank.report({ paymentId }))[0]?.["paymentRefundStatus"];
  expect(await status()).toBe("NOT_REFUNDED");
  bank.clock.nowMs += 60_000;
  expect(await status()).toBe("PARTIALLY_REFUNDED");
});

test("a payment that is carried out twice is two payments of one conversation", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "twice");
  const paymentId = await pay(bank);
  const found = await bank.report({ paymentConversationId: "shop-pay-1" });
  expect(found.map((each) => each.paymentStatus)).toEqual([1, 1]);
  expect(found.filter((each) => each.paymentId === paymentId)).toHaveLength(1);
  const items = found.flatMap((each) => each["itemTransactions"] as Answer[]);
  expect(new Set(items.map((item) => item["paymentTransactionId"])).size).toBe(items.length);
  expect(items).toHaveLength(4);
});

test("in the panel a person cancels one of two that stand, and the ledger says who made which", async () => {
  await using bank = await startTestBank();
  await bank.fault("sale", "twice");
  await pay(bank);
  const { transactionId: order = "" } = (await bank.ledger())[1] ?? {};
  const cancel = async () => (await bank.call("POST", "/panel/voids", { order, name: order })).status;
  expect([await cancel(), await cancel()]).toEqual([200, 409]);
  expect((await bank.ledger()).map(({ operation, uncalled }) => [operation, uncalled])).toEqual([
    ["sale", undefined],
    ["sale", "again"],
    ["void", "panel"],
  ]);
});

test("a capture may take a part", async () => {
  await using bank = await startTestBank();
  const { paymentId = "" } = await bank.shop.succeed("/payment/preauth", paymentBody());
  await bank.fault("capture", "partial");
  const body = { ...followUp(), paymentId, paidPrice: "100.0" };
  expect(await bank.shop.succeed("/payment/postauth", body)).toMatchObject({ paidPrice: 50 });
  expect((await bank.ledger()).at(-1)).toMatchObject({
    operation: "capture",
    amountMinor: 5_000,
    requestedMinor: 10_000,
  });
});

test.each([
  ["unlisted_done", "sale approved, void approved"],
  ["unlisted_not_done", "sale approved"],
])("a cancel with the fault %s is answered with a code of no list", async (behaviour, movements) => {
  await using bank = await startTestBank();
  const paymentId = await pay(bank);
  await bank.fault("void", behaviour);
  expect(await bank.shop.codeOf("/payment/cancel", { ...followUp(), paymentId })).toBe("99999");
  expect(await bank.movements()).toBe(movements);
});

test("a refund in the panel is in the report, within the bank's rules", async () => {
  await using bank = await startTestBank();
  const order = await pay(bank);
  const panel = async (amountMinor: number) =>
    (await bank.call("POST", "/panel/refunds", { order, amountMinor })).status;
  expect([await panel(2_000), await panel(8_001)]).toEqual([200, 409]);
  const [payment = {}] = await bank.report({ paymentId: order });
  expect(payment["itemTransactions"]).toMatchObject([
    { refunds: [{ refundConversationId: "merchant-panel", refundPrice: 20 }] },
    { refunds: [] },
  ]);
});

test("a file may have padded amounts and counts of two digits, and its payout is stated", async () => {
  await using bank = await startTestBank();
  await bank.modes({ cells: "odd" });
  await pay(bank);
  await bank.endDay();
  const [name = ""] = (JSON.parse(await bank.ask("GET", "/settlements")) as { settlements: string[] })
    .settlements;
  const rows = (await bank.ask("GET", `/settlements/${name}`)).split("\r\n").map((row) => row.split(","));
  const cells = (column: string) => rows.slice(1, 3).map((row) => row[rows[0]!.indexOf(column)]);
  expect(cells("paidPrice")).toEqual(["000000000000060.00", "000000000000040.00"]);
  expect(cells("installment")).toEqual(["00", "00"]);
  const code = cells("settlementReferenceCode")[0]!;
  expect(await bank.ask("GET", "/payouts")).toContain(`<EndToEndId>${code}</EndToEndId>`);
});
