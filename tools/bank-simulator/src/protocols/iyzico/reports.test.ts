import { expect, test } from "vitest";

import { paymentBody } from "./test/shop.ts";
import { followUp, startTestBank, type TestBank } from "./test/test-bank.ts";

async function settlement(bank: TestBank, name: string) {
  const text = (await bank.ask("GET", `/settlements/${name}`)).replaceAll('"a ""big"", basket"', "basket");
  const [head = "", ...rows] = text.trimEnd().split("\r\n");
  const names = head.split(",");
  return rows.map((row) => Object.fromEntries(row.split(",").map((value, index) => [names[index], value])));
}

test("a day's end writes a file for each merchant with a line for each item and a total", async () => {
  await using bank = await startTestBank();
  const { shop } = bank;
  const body = paymentBody({ basketId: 'a "big", basket', paidPrice: "110.0", installment: 3 });
  const { paymentId } = await shop.succeed("/payment/auth", body);
  await shop.succeed("/v2/payment/refund", { ...followUp(), paymentId, price: "70.0" });
  const cancelled = await shop.succeed("/payment/auth", paymentBody());
  await shop.succeed("/payment/cancel", { ...followUp(), paymentId: cancelled.paymentId });
  await shop.succeed("/payment/preauth", paymentBody());
  await bank.other.succeed("/payment/auth", paymentBody());
  await bank.endDay();
  const names = ["settlement-1000001-20300616-1.csv", "settlement-1000002-20300616-1.csv"];
  expect(JSON.parse(await bank.ask("GET", "/settlements"))).toEqual({ settlements: names });
  expect(await bank.ask("GET", `/settlements/${names[0]}`)).toContain('"a ""big"", basket"');
  const rows = await settlement(bank, names[0]!);
  const fields = [
    "transactionStatus",
    "afterSettlement",
    "paidPrice",
    "iyziCommissionRate",
    "iyziCommissionFee",
  ];
  const shown = [...fields, "settlementPriceTRY", "conversationId"];
  expect(rows.map((row) => shown.map((field) => row[field]).join(" "))).toEqual([
    "PAYMENT 0 66.00 1.95 0.15 63.90 shop-pay-1",
    "PAYMENT 0 44.00 1.30 0.10 42.60 shop-pay-1",
    "REFUND 0 66.00 0.00 0.00 -66.00 follow-1",
    "REFUND 0 4.00 0.00 0.00 -4.00 follow-1",
    "      ",
  ]);
  expect(rows[0]).toMatchObject({
    transactionDate: "2030-06-16 00:30:00",
    paymentGid: paymentId,
    price: "60.00",
    installment: "3",
    binNumber: "552879",
    isThreeD: "0",
    buyerId: "buyer-1",
    settlementCurrency: "TRY",
    settlementReferenceCode: "S-1000001-20300616-1",
    settlementResolveDate: "2030-06-17 00:30:00",
    totalMerchantPayoutAmount: "",
  });
  expect(rows.at(-1)).toMatchObject({ transactionDate: "TOTAL", totalMerchantPayoutAmount: "36.50" });
  expect(await settlement(bank, names[1]!)).toHaveLength(3);
});

test("the next day has what came after, and payouts are listed by date, also after a restart", async () => {
  await using bank = await startTestBank();
  const { paymentId } = await bank.shop.succeed("/payment/auth", paymentBody());
  const ask = async (date: string) => {
    const path = "/reporting/settlement/payoutcompleted";
    const { payoutCompletedTransactions: payouts } = await bank.shop.succeed(path, { date });
    return (payouts as Record<string, unknown>[]).map((each) => [each["payoutType"], each["payoutAmount"]]);
  };
  expect(await ask("2030-06-16")).toEqual([]);
  await bank.endDay();
  await bank.shop.succeed("/v2/payment/refund", { ...followUp(), paymentId, price: "0.5" });
  await bank.endDay();
  expect(await settlement(bank, "settlement-1000001-20300616-2.csv")).toMatchObject([
    { transactionStatus: "REFUND", afterSettlement: "1", settlementPriceTRY: "-0.50" },
    { totalMerchantPayoutAmount: "-0.50" },
  ]);
  await bank.restart();
  expect(await ask("2030-06-16")).toEqual([
    ["PAYOUT", 58.08],
    ["PAYOUT", 38.72],
    ["REFUND_DEDUCTION", -0.5],
  ]);
  expect(await ask("2030-06-15 00:00:00")).toEqual([]);
  const bounced = await bank.shop.succeed("/reporting/settlement/bounced", { date: "2030-06-16" });
  expect(bounced).toMatchObject({ bouncedRows: [] });
});

test("a day's transactions come in pages, or after the last one that was read", async () => {
  await using bank = await startTestBank();
  const { shop } = bank;
  const { paymentId } = await shop.succeed("/payment/auth", paymentBody());
  await bank.endDay();
  await shop.succeed("/v2/payment/refund", { ...followUp("ref-1"), paymentId, price: "70.0" });
  const held = await shop.succeed("/payment/preauth", paymentBody({ conversationId: "hold-1" }));
  await shop.succeed("/payment/cancel", { ...followUp("can-1"), paymentId: held.paymentId });
  for (let count = 0; count < 2; count += 1) await shop.succeed("/payment/auth", paymentBody());
  await bank.restart();
  const get = async (path: string, query: Record<string, string>) =>
    (await bank.shop.get(`/v2/reporting/payment/${path}`, query)).body as Page;
  const first = await get("transactions", { transactionDate: "2030-06-16", page: "1" });
  const second = await get("transactions", { transactionDate: "2030-06-16 00:00:00", page: "2" });
  expect(first).toMatchObject({ currentPage: 1, totalPageCount: 2 });
  const rows = [...first.transactions, ...second.transactions];
  const shown = ["transactionType", "conversationId", "paidPrice", "merchantPayoutAmount"];
  const sold = ["PAYMENT shop-pay-1 60 58.08", "PAYMENT shop-pay-1 40 38.72"];
  expect(rows.map((row) => shown.map((field) => row[field]).join(" "))).toEqual([
    ...sold,
    "REFUND ref-1 60 -60",
    "REFUND ref-1 10 -10",
    "PAYMENT hold-1 60 58.08",
    "PAYMENT hold-1 40 38.72",
    "CANCEL can-1 60 -60",
    "CANCEL can-1 40 -40",
    ...sold,
    ...sold,
  ]);
  expect(rows[0]).toMatchObject({ paymentId, transactionDate: "2030-06-16 00:30:00" });
  expect((await get("transactions", { transactionDate: "2030-06-15" })).transactions).toEqual([]);
  const scroll = (query: object) => get("scroll-transactions", { transactionDate: "2030-06-16", ...query });
  const begun = await scroll({});
  expect([...begun.transactions, ...(await scroll({ lastId: begun.lastId })).transactions]).toEqual(rows);
  const backwards = await scroll({ documentScrollVoSortingOrder: "DESC" });
  expect(backwards.transactions[0]).toEqual(rows.at(-1));
});

type Page = { transactions: Record<string, unknown>[]; lastId: string };
