import { randomUUID } from "node:crypto";
import type { SearchAnswer } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertPayments, insertRefunds } from "./list-rows.ts";
import { startListSystem, type ListSystem, type Shop } from "./list-system.ts";

let system: ListSystem;
let shop: Shop;
beforeAll(async () => {
  system = await startListSystem();
  shop = await system.openShop("Found");
  await insertPayments(system.query, { merchantId: shop.merchantId, count: 60 });
  await insertRefunds(system.query, { merchantId: shop.merchantId, count: 10 });
});
afterAll(() => system.close());

async function search(q: string): Promise<SearchAnswer> {
  const { status, text } = await system.operate("GET", `/operator/search?q=${encodeURIComponent(q)}`);
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return JSON.parse(text) as SearchAnswer;
}

const kinds = ({ items }: SearchAnswer) => items.map(({ type, matchedBy }) => `${type} by ${matchedBy}`);

test.each([
  ["order-3", ["payment by orderId", "refund by orderId"]],
  ["ext-order-3", ["payment by externalTransactionId", "refund by externalTransactionId"]],
  ["000003", ["payment by authCode", "refund by authCode"]],
  ["0003", ["payment by last4", "refund by last4"]],
  ["400000******0003", ["payment by pan", "refund by pan"]],
  ["411111******0003", []],
  ["nothing", []],
])("%s is found as what it is", async (q, expected) => {
  expect(kinds(await search(q))).toEqual(expected);
});

test("an id is found whatever it is the id of, in any case, with the merchant's name", async () => {
  const [payment] = (await search("order-5")).items;
  const [, refund] = (await search("order-5")).items;
  if (payment?.type !== "payment" || refund?.type !== "refund") throw new Error("not found");
  const id = payment.payment.payment.paymentId;
  expect(await search(id.toUpperCase())).toMatchObject({
    items: [
      { type: "payment", matchedBy: "id", payment: { merchantName: "Found", payment: { paymentId: id } } },
    ],
    more: false,
  });
  expect(kinds(await search(refund.refund.refundId))).toEqual(["refund by id"]);
  expect((await search(shop.merchantId)).items).toEqual([
    { type: "merchant", matchedBy: "id", merchant: { merchantId: shop.merchantId, name: "Found" } },
  ]);
  expect(await search("0199aaaa-0000-7000-8000-000000000001")).toEqual({ items: [], more: false });
});

test("an order number, a bank's reference and a customer that are UUIDs are found as what they are", async () => {
  const [orderId, reference, customer] = [randomUUID(), randomUUID(), randomUUID()];
  for (const table of ["payments.payment", "refunds.refund"])
    await system.query(
      `update ${table} set order_id = $1, external_transaction_id = $2, customer_id = $3 where order_id = 'order-7'`,
      [orderId, reference, customer],
    );
  for (const [q, matchedBy] of [
    [orderId, "orderId"],
    [reference, "externalTransactionId"],
    [customer, "customerId"],
  ] as const)
    expect(kinds(await search(q))).toEqual([`payment by ${matchedBy}`, `refund by ${matchedBy}`]);
});

test("of many the newest are shown, and that there are more", async () => {
  await insertPayments(system.query, { merchantId: shop.merchantId, count: 21 * 50, order: "many" });
  const { items, more } = await search("customer-9");
  expect([items.filter(({ type }) => type === "payment").length, more]).toEqual([20, true]);
});

test("a card number is refused, and not looked for", async () => {
  const { status, text } = await system.operate("GET", "/operator/search?q=4111111111111111");
  expect(status).toBe(400);
  expect(text).toContain('"card_number"');
  expect(text).not.toContain("4111111111111111");
});

test("a service that does not answer is a 503: what is not found might be there", async () => {
  await system.refundsService.stop();
  for (const q of ["order-3", "0199aaaa-0000-7000-8000-000000000001"])
    expect((await system.operate("GET", `/operator/search?q=${q}`)).status).toBe(503);
});
