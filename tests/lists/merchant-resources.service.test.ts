import { afterAll, beforeAll, expect, test } from "vitest";
import { pageOf, readAll, startListSystem, type ListSystem, type Shop } from "./list-system.ts";

let system: ListSystem;
let shop: Shop;
let neighbour: Shop;
beforeAll(async () => {
  system = await startListSystem();
  [shop, neighbour] = [await system.openShop(), await system.openShop()];
});
afterAll(() => system.close());

const NOWHERE = "0199aaaa-0000-7000-8000-000000000001";

async function created(by: Shop, path: string, body: object): Promise<Record<string, string>> {
  const { status, text } = await system.post(by, path, body);
  if (status !== 201 && status !== 202) throw new Error(`${status}: ${text}`);
  return JSON.parse(text) as Record<string, string>;
}

const sale = (by: Shop) =>
  created(by, "/api/payment", {
    orderId: "order-1",
    amount: 10,
    currency: "TRY",
    cardHolderName: "Ada Lovelace",
    pan: "4111111111111111",
    expiryMonth: "12",
    expiryYear: String((new Date().getUTCFullYear() + 3) % 100).padStart(2, "0"),
    cvv: "123",
    requestIp: "203.0.113.7",
    requestPort: 4711,
  });

test("a payment's refunds are listed, newest first, of that payment and to its merchant alone", async () => {
  const [payment, other] = [await sale(shop), await sale(shop)];
  const refunds: string[] = [];
  for (const amount of [1, 2, 3]) {
    const refund = await created(shop, `/api/payment/${payment["paymentId"]}/refund`, {
      amount,
      currency: "TRY",
    });
    refunds.unshift(refund["paymentId"]!);
  }
  await created(shop, `/api/payment/${other["paymentId"]}/refund`, { amount: 4, currency: "TRY" });

  const path = `/api/payment/${payment["paymentId"]}/refunds`;
  const listed = await readAll((query) => system.get(shop, path + query), "limit=2");
  expect(listed.map(({ paymentId }) => paymentId)).toEqual(refunds);
  expect(new Set(listed.map(({ parentPaymentId }) => parentPaymentId))).toEqual(
    new Set([payment["paymentId"]]),
  );
  const csv = await system.get(shop, path, { accept: "text/csv" });
  expect(csv.text).toMatch(/\r\n#rows,3,+\r\n$/);

  for (const [by, id] of [
    [neighbour, payment["paymentId"]],
    [shop, NOWHERE],
    [shop, refunds[0]],
    [shop, "x"],
  ] as const) {
    const { status, text } = await system.get(by, `/api/payment/${id}/refunds`);
    expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([404, "payment_not_found"]);
  }
});

test("the cursor of one payment's refunds is none of another's", async () => {
  const [payment, other] = [await sale(shop), await sale(shop)];
  for (const { paymentId } of [payment, other] as { paymentId: string }[])
    for (const amount of [1, 2])
      await created(shop, `/api/payment/${paymentId}/refund`, { amount, currency: "TRY" });
  const refundsOf = (id: string | undefined, query: string) =>
    system.get(shop, `/api/payment/${id}/refunds${query}`);
  const { nextCursor } = pageOf(await refundsOf(payment["paymentId"], "?limit=1"));
  expect((await refundsOf(other["paymentId"], `?cursor=${nextCursor}`)).status).toBe(400);
  expect(pageOf(await refundsOf(payment["paymentId"], `?cursor=${nextCursor}`)).items).toHaveLength(1);
});

const checkout = (by: Shop, orderId: string) =>
  created(by, "/api/checkout", {
    orderId,
    amount: 10,
    currency: "TRY",
    successUrl: "https://shop.example/ok",
    failureUrl: "https://shop.example/no",
  });

test("checkouts are listed as a look-up shows each of them, newest first, to their merchant alone", async () => {
  const ids: string[] = [];
  for (const order of ["c-1", "c-2", "c-3"]) ids.unshift((await checkout(shop, order))["checkoutId"]!);
  await checkout(neighbour, "c-1");
  // One checkout is over, and no read has closed it.
  await system.query("update payments.checkout set expires_at = created_at where checkout_id = $1", [ids[1]]);

  const listed = await readAll((query) => system.get(shop, `/api/checkouts${query}`), "limit=2");
  expect(listed.map(({ checkoutId }) => checkoutId)).toEqual(ids);
  expect(listed.map(({ status }) => status)).toEqual(["OPEN", "EXPIRED", "OPEN"]);
  for (const item of listed) {
    expect(JSON.parse((await system.get(shop, `/api/checkout/${String(item["checkoutId"])}`)).text)).toEqual(
      item,
    );
  }
  const named = pageOf(await system.get(shop, "/api/checkouts?orderId=c-1"));
  expect(named.items.map(({ checkoutId }) => checkoutId)).toEqual([ids[2]]);
  const later = `from=${new Date(Date.now() + 60_000).toISOString()}`;
  expect(pageOf(await system.get(shop, `/api/checkouts?${later}`)).items).toEqual([]);
  expect((await system.get(shop, "/api/checkouts?status=OPEN")).status).toBe(400);
});
