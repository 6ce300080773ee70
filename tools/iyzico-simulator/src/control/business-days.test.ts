import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { startIyzicoSimulator, type IyzicoSimulator } from "../iyzico-simulator.ts";
import { paymentBody, sandboxKeys, Shop } from "../test/shop.ts";

const otherKeys = { apiKey: "sandbox-second", secretKey: "sandbox-second-secret" };
const merchants = [
  { ...sandboxKeys, merchantId: "1000001" },
  { ...otherKeys, merchantId: "1000002" },
];
const follow = { conversationId: "follow-1", ip: "203.0.113.7", currency: "TRY" };

let folder: string;
let ledgerFile: string;
let bank: IyzicoSimulator;
let shop: Shop;
let nowMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "iyzico-days-"));
  ledgerFile = join(folder, "ledger.ndjson");
  // 21:30 in UTC is half past midnight of the 16th in Istanbul.
  nowMs = Date.parse("2030-06-15T21:30:00Z");
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

test("closing the day ends cancels of what was sold or captured, and not of holds", async () => {
  const sale = await shop.succeed("/payment/auth", paymentBody());
  const hold = await shop.succeed("/payment/preauth", paymentBody());
  const captured = await shop.succeed("/payment/preauth", paymentBody());
  await shop.succeed("/payment/postauth", { ...follow, paymentId: captured.paymentId, paidPrice: 100 });
  await closeDay();
  expect(await shop.codeOf("/payment/cancel", { ...follow, paymentId: sale.paymentId })).toBe("10223");
  expect(await shop.codeOf("/payment/cancel", { ...follow, paymentId: captured.paymentId })).toBe("10223");
  await shop.succeed("/payment/cancel", { ...follow, paymentId: hold.paymentId });
  await shop.succeed("/v2/payment/refund", { ...follow, paymentId: sale.paymentId, price: 1 });
});

test("a hold's day ends, too, where its bank says so, and its capture begins another", async () => {
  await modes({ holdCancel: "same_day", sameDayRefunds: "refused" });
  const hold = await shop.succeed("/payment/preauth", paymentBody());
  const kept = await shop.succeed("/payment/preauth", paymentBody());
  await closeDay();
  expect(await shop.codeOf("/payment/cancel", { ...follow, paymentId: hold.paymentId })).toBe("10223");
  await shop.succeed("/payment/postauth", { ...follow, paymentId: kept.paymentId, paidPrice: 100 });
  const refund = { ...follow, paymentId: kept.paymentId, price: 1 };
  expect(await shop.codeOf("/v2/payment/refund", refund)).toBe("10223");
  await bank.close();
  await start();
  // The restart applies the closing after the capture, which it does not reach.
  await shop.succeed("/payment/cancel", { ...follow, paymentId: kept.paymentId });
});

test("says when the day was closed, also after a restart", async () => {
  expect(await day()).toEqual({ closedAt: null });
  await closeDay();
  const closed = { closedAt: new Date(nowMs).toISOString() };
  expect(await day()).toEqual(closed);
  await bank.close();
  await start();
  expect(await day()).toEqual(closed);
});

test("writes a settlement file for each merchant with a line for each item and a total", async () => {
  const { paymentId } = await shop.succeed(
    "/payment/auth",
    paymentBody({ basketId: 'a "big", basket', paidPrice: "110.0", installment: 3 }),
  );
  await shop.succeed("/v2/payment/refund", { ...follow, paymentId, price: "70.0" });
  const cancelled = await shop.succeed("/payment/auth", paymentBody());
  await shop.succeed("/payment/cancel", { ...follow, paymentId: cancelled.paymentId });
  await shop.succeed("/payment/preauth", paymentBody());
  const other = new Shop(bank.url, otherKeys);
  await other.succeed("/payment/auth", paymentBody());
  await closeDay();

  expect(await settlements()).toEqual([
    "settlement-1000001-20300616-1.csv",
    "settlement-1000002-20300616-1.csv",
  ]);
  const text = await settlement("settlement-1000001-20300616-1.csv");
  expect(text).toContain('"a ""big"", basket"');
  const rows = rowsOf(text);
  const fields = [
    "transactionStatus",
    "afterSettlement",
    "paidPrice",
    "iyziCommissionRate",
    "iyziCommissionFee",
    "settlementPriceTRY",
    "conversationId",
  ] as const;
  expect(rows.map((row) => fields.map((field) => row[field]))).toEqual([
    ["PAYMENT", "0", "66.00", "1.95", "0.15", "63.90", "shop-pay-1"],
    ["PAYMENT", "0", "44.00", "1.30", "0.10", "42.60", "shop-pay-1"],
    ["REFUND", "0", "66.00", "0.00", "0.00", "-66.00", "follow-1"],
    ["REFUND", "0", "4.00", "0.00", "0.00", "-4.00", "follow-1"],
    ["", "", "", "", "", "", ""],
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
  expect(rowsOf(await settlement("settlement-1000002-20300616-1.csv"))).toHaveLength(3);
});

test("the next day has what came after, and says that a refund is after the settlement", async () => {
  const { paymentId } = await shop.succeed("/payment/auth", paymentBody());
  await closeDay();
  await shop.succeed("/v2/payment/refund", { ...follow, paymentId, price: "0.5" });
  await closeDay();
  const rows = rowsOf(await settlement("settlement-1000001-20300616-2.csv"));
  expect(rows).toMatchObject([
    { transactionStatus: "REFUND", afterSettlement: "1", settlementPriceTRY: "-0.50" },
    { totalMerchantPayoutAmount: "-0.50" },
  ]);
});

test("lists what was paid out on a date, net", async () => {
  await shop.succeed("/payment/auth", paymentBody());
  const path = "/reporting/settlement/payoutcompleted";
  const ask = async (date: string) => (await shop.succeed(path, { date }))["payoutCompletedTransactions"];
  expect(await ask("2030-06-16")).toEqual([]);
  await closeDay();
  expect(await ask("2030-06-16")).toMatchObject([
    { paymentTransactionId: expect.any(String), payoutAmount: 58.08, payoutType: "PAYOUT", currency: "TRY" },
    { payoutAmount: 38.72 },
  ]);
  expect(await ask("2030-06-15 00:00:00")).toEqual([]);
  expect(await shop.succeed("/reporting/settlement/bounced", { date: "2030-06-16" })).toMatchObject({
    bouncedRows: [],
  });
});

test("a settlement file that is missing at the start is written again", async () => {
  await shop.succeed("/payment/auth", paymentBody());
  await closeDay();
  const name = "settlement-1000001-20300616-1.csv";
  const text = await settlement(name);
  await bank.close();
  await rm(join(`${ledgerFile}.settlement`, name));
  await start();
  expect(await settlement(name)).toBe(text);
  expect(await readdir(`${ledgerFile}.settlement`)).toEqual(await settlements());
});

test("a settlement file that is there is never written again", async () => {
  await closeDay();
  const name = "settlement-1000001-20300616-1.csv";
  await bank.close();
  await writeFile(join(`${ledgerFile}.settlement`, name), "as it was delivered");
  await start();
  expect(await settlement(name)).toBe("as it was delivered");
});

test.each(["settlement-1000001-20300616-9.csv", "..%2Fledger.ndjson", "../ledger.ndjson"])(
  "there is no settlement file %s",
  async (name) => {
    await closeDay();
    expect((await fetch(`${bank.url}/settlements/${name}`)).status).toBe(404);
  },
);

async function closeDay(): Promise<void> {
  const response = await fetch(`${bank.url}/business-day/close`, { method: "POST" });
  expect([response.status, await response.json()]).toEqual([200, {}]);
}

async function day(): Promise<unknown> {
  return await (await fetch(`${bank.url}/business-day`)).json();
}

async function modes(changes: object): Promise<void> {
  await fetch(`${bank.url}/modes`, { method: "PUT", body: JSON.stringify(changes) });
}

async function settlements(): Promise<string[]> {
  const response = await fetch(`${bank.url}/settlements`);
  return ((await response.json()) as { settlements: string[] }).settlements;
}

async function settlement(name: string): Promise<string> {
  const response = await fetch(`${bank.url}/settlements/${name}`);
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  return await response.text();
}

/** The rows by their columns' names; a comma in quotes is not looked for beyond the basket of one test. */
function rowsOf(csv: string): Record<string, string | undefined>[] {
  const [head = "", ...rows] = csv.replaceAll('"a ""big"", basket"', "basket").trimEnd().split("\r\n");
  const names = head.split(",");
  return rows.map((row) => Object.fromEntries(row.split(",").map((value, index) => [names[index], value])));
}
