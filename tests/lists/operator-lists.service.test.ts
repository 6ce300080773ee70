import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertPayments, insertRefunds } from "./list-rows.ts";
import {
  pageOf,
  readAll,
  startListSystem,
  type ListedItem,
  type ListSystem,
  type Shop,
} from "./list-system.ts";
import { TEST_ACCOUNT_ID } from "../support/index.ts";

const COUNT = 120;
const NEWEST = new Date(Date.now() - 3_600_000);

let system: ListSystem;
let shops: Shop[];
beforeAll(async () => {
  system = await startListSystem();
  shops = [await system.openShop("One"), await system.openShop("Two")];
  for (const [index, { merchantId }] of shops.entries()) {
    const rows = { merchantId, newestAt: NEWEST, order: `order-${index}` };
    await insertPayments(system.query, { ...rows, count: COUNT });
    await insertRefunds(system.query, { ...rows, count: COUNT / 4 });
  }
});
afterAll(() => system.close());

const list = (path: string, query: string) =>
  readAll((more) => system.operate("GET", path + more), `limit=50&${query}`);
const paymentOf = (item: ListedItem) => item["payment"] as Record<string, string | number>;
const RANGE = `from=${new Date(NEWEST.getTime() - 86_400_000).toISOString()}&to=${new Date(NEWEST.getTime() + 1).toISOString()}`;

test("payments of all merchants are listed, newest first, each with its merchant's name", async () => {
  const items = await list("/operator/payments", "");
  expect(items).toHaveLength(2 * COUNT);
  expect(new Set(items.map((item) => paymentOf(item)["paymentId"])).size).toBe(2 * COUNT);
  const dates = items.map((item) => paymentOf(item)["paymentDate"] as string);
  expect(dates).toEqual(dates.toSorted().toReversed());
  for (const { merchantId, merchantName } of items)
    expect(merchantName).toBe(merchantId === shops[0]!.merchantId ? "One" : "Two");
});

test.each([
  [
    "merchantId",
    () => shops[1]!.merchantId,
    ({ merchantId }: ListedItem) => merchantId === shops[1]!.merchantId,
  ],
  ["orderId", () => "order-1-7", (item: ListedItem) => paymentOf(item)["orderId"] === "order-1-7"],
  [
    "externalTransactionId",
    () => "ext-order-0-9",
    (item: ListedItem) => paymentOf(item)["externalTransactionId"] === "ext-order-0-9",
  ],
  ["authCode", () => "000012", (item: ListedItem) => paymentOf(item)["authCode"] === "000012"],
  ["last4", () => "0040", (item: ListedItem) => String(paymentOf(item)["pan"]).endsWith("0040")],
  ["customerId", () => "customer-3", (item: ListedItem) => paymentOf(item)["customerId"] === "customer-3"],
])("payments are found by %s, and by it within a range", async (name, value, matches) => {
  const all = await list("/operator/payments", "");
  const wanted = all.filter(matches).map((item) => paymentOf(item)["paymentId"]);
  expect(wanted.length).toBeGreaterThan(0);
  for (const query of [`${name}=${value()}`, `${name}=${value()}&${RANGE}`]) {
    const found = await list("/operator/payments", query);
    expect(found.map((item) => paymentOf(item)["paymentId"])).toEqual(wanted);
  }
});

test("refunds are found by their payment, in any state and without a range of time", async () => {
  const all = await list("/operator/refunds", RANGE);
  const paymentId = String(all[0]!["parentPaymentId"]);
  const wanted = all.filter((item) => item["parentPaymentId"] === paymentId);
  for (const query of ["", "&currency=TRY", `&merchantId=${String(wanted[0]!["merchantId"])}`, `&${RANGE}`]) {
    const found = await list("/operator/refunds", `paymentId=${paymentId}${query}`);
    expect(found.map((item) => item["refundId"])).toEqual(wanted.map((item) => item["refundId"]));
  }
  expect(await list("/operator/refunds", `paymentId=${randomUUID()}`)).toEqual([]);
});

test("payments are found by their account at an acquirer, and say which it is", async () => {
  const accountId = randomUUID();
  await system.query(
    "update payments.payment set account_id = $1 where merchant_id = $2 and order_id in ('order-0-3', 'order-0-5')",
    [accountId, shops[0]!.merchantId],
  );
  const found = await list("/operator/payments", `accountId=${accountId}&${RANGE}`);
  expect(found.map((item) => [paymentOf(item)["orderId"], item["accountId"]])).toEqual([
    ["order-0-3", accountId],
    ["order-0-5", accountId],
  ]);
  const all = await list("/operator/payments", RANGE);
  const others = all.filter((item) => item["accountId"] === TEST_ACCOUNT_ID);
  expect(others).toHaveLength(2 * COUNT - 2);
});

test.each([
  "last4=0040",
  "customerId=customer-3",
  "authCode=000012",
  "orderId=order-1-7",
  "externalTransactionId=ext-order-1-9",
  "status=SUCCESS",
  "bin=979200",
  "currency=EUR",
  "amountFrom=10.40",
  "amountTo=10.40",
  "transactionType=PAYMENT",
])("%s and one merchant find that merchant's alone", async (query) => {
  for (const path of query.startsWith("transactionType")
    ? ["/operator/payments"]
    : ["/operator/payments", "/operator/refunds"]) {
    const all = await list(path, `${query}&${RANGE}`);
    const idOf = (item: ListedItem) => item["refundId"] ?? paymentOf(item)["paymentId"];
    for (const { merchantId } of shops) {
      const found = await list(path, `${query}&merchantId=${merchantId}&${RANGE}`);
      expect(found.map(idOf)).toEqual(all.filter((item) => item["merchantId"] === merchantId).map(idOf));
    }
  }
});

test.each([
  ["/operator/payments?status=SUCCESS", "status", "range_required"],
  ["/operator/payments?bin=411111", "bin", "range_required"],
  [`/operator/payments?accountId=${randomUUID()}`, "accountId", "range_required"],
  [`/operator/refunds?accountId=${randomUUID()}`, "accountId", "unknown_parameter"],
  ["/operator/payments?unresolved=true&last4=0001", "last4", "not_allowed"],
  ["/operator/payments?sold=true", "sold", "range_required"],
  ["/operator/payments?answered=yes", "answered", "invalid_value"],
  ["/operator/refunds?sold=true", "sold", "unknown_parameter"],
  ["/operator/refunds?currency=TRY", "currency", "range_required"],
  ["/operator/refunds?paymentId=order-1", "paymentId", "invalid_format"],
  ["/operator/refunds?status=SUCCESS&currency=TRY", "status", "range_required"],
  ["/operator/refunds?status=ENROLLED", "status", "invalid_value"],
  ["/operator/payments?merchant=1", "merchant", "unknown_parameter"],
])("a search that no index answers, or that means nothing, is a 400: %s", async (path, field, code) => {
  const { status, text } = await system.operate("GET", path);
  const { errors } = JSON.parse(text) as { errors: object[] };
  expect([status, errors[0]]).toMatchObject([400, { field, code }]);
});

test.each([
  ["sold", ["SUCCESS", "CAPTURED"]],
  // The cancelled payments were approved; the failed ones here have no answer of a bank.
  ["answered", ["SUCCESS", "CAPTURED", "CANCELLED"]],
])("payments that figures count as %s are listed", async (name, states) => {
  const idOf = (item: ListedItem) => paymentOf(item)["paymentId"];
  const all = await list("/operator/payments", RANGE);
  const counted = all.filter(({ state }) => states.includes(String(state)));
  expect(counted.length).toBeGreaterThan(0);
  expect((await list("/operator/payments", `${name}=true&${RANGE}`)).map(idOf)).toEqual(counted.map(idOf));
});

test("what is unresolved is listed oldest first, of all merchants or of one", async () => {
  await system.query(
    `update payments.payment set recover_at = now() + interval '1 hour', recovery_attempts = 1
     where state = 'AUTHORIZING' and merchant_id = any($1)`,
    [shops.map(({ merchantId }) => merchantId)],
  );
  const all = await readAll(
    (more) => system.operate("GET", `/operator/payments${more}`),
    "limit=3&unresolved=true",
  );
  expect(all).toHaveLength(2 * (COUNT / 10));
  expect(all.every(({ unresolved }) => unresolved === true)).toBe(true);
  const dates = all.map((item) => paymentOf(item)["paymentDate"] as string);
  expect(dates).toEqual(dates.toSorted());
  const [from, to] = [dates[5]!, dates.at(-5)!];
  const within = await list("/operator/payments", `unresolved=true&from=${from}&to=${to}`);
  expect(within.map((item) => paymentOf(item)["paymentDate"])).toEqual(
    dates.filter((date) => date >= from && date < to),
  );
  const own = await list("/operator/payments", `unresolved=true&merchantId=${shops[0]!.merchantId}`);
  expect(own).toHaveLength(COUNT / 10);
});

test("refunds are listed newest first, a queue of one status oldest first, with the merchant's name", async () => {
  const all = await list("/operator/refunds", "");
  expect(all).toHaveLength(COUNT / 2);
  const dates = all.map(({ paymentDate }) => paymentDate);
  expect(dates).toEqual(dates.toSorted().toReversed());
  expect(new Set(all.map(({ merchantName }) => merchantName))).toEqual(new Set(["One", "Two"]));

  for (const status of ["PENDING_APPROVAL", "EXECUTING", "SUCCESS", "FAILED"]) {
    const isOfStatus = ({ state }: ListedItem) => state === status;
    const queue = await readAll(
      (more) => system.operate("GET", `/operator/refunds${more}`),
      `limit=4&status=${status}`,
    );
    const ids = (items: ListedItem[]) => items.map(({ paymentId }) => paymentId);
    expect(ids(queue)).toEqual(ids(all.filter(isOfStatus)).toReversed());
    // Together with other filters a status is only compared, and rows come newest first.
    expect(ids(await list("/operator/refunds", `status=${status}&${RANGE}`))).toEqual(
      ids(all.filter(isOfStatus)),
    );
  }
  const byOrder = await list("/operator/refunds", "orderId=order-1-3");
  expect(byOrder.map(({ orderId }) => orderId)).toEqual(["order-1-3"]);
});

test("an operator exports what they list; a cursor is theirs and of their search", async () => {
  const csv = await system.operate("GET", `/operator/payments?merchantId=${shops[0]!.merchantId}`, {
    headers: { accept: "text/csv" },
  });
  expect(csv.headers.get("content-disposition")).toContain('filename="payments-');
  const [header, ...lines] = csv.text.trimEnd().split("\r\n");
  expect(header).toContain("merchantId,payment.paymentId,");
  expect(lines.at(-1)).toMatch(new RegExp(`^#rows,${COUNT},`));
  const { nextCursor } = pageOf(await system.operate("GET", "/operator/payments?limit=1"));
  const moved = await system.operate(
    "GET",
    `/operator/payments?limit=1&customerId=customer-3&cursor=${nextCursor}`,
  );
  expect(moved.status).toBe(400);
});
