import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertPayments, insertRefunds } from "./list-rows.ts";
import {
  pageOf,
  readAll,
  startListSystem,
  type ListedItem,
  type ListSystem,
  type Shop,
} from "./list-system.ts";

const COUNT = 500;
const NEWEST = new Date(Date.now() - 3_600_000);

let system: ListSystem;
let shop: Shop;
let neighbour: Shop;
let everything: ListedItem[];
beforeAll(async () => {
  system = await startListSystem();
  [shop, neighbour] = [await system.openShop(), await system.openShop()];
  // Both merchants have the same orders, customers, cards and times, so every search could find the other
  // merchant's.
  for (const { merchantId } of [shop, neighbour]) {
    await insertPayments(system.query, { merchantId, count: COUNT, newestAt: NEWEST });
    await insertRefunds(system.query, { merchantId, count: COUNT / 5, newestAt: NEWEST, apartMs: 5_000 });
  }
  everything = await readAll((query) => system.get(shop, `/api/payments${query}`), "limit=200");
});
afterAll(() => system.close());

const list = (query: string, by = shop) => readAll((more) => system.get(by, `/api/payments${more}`), query);
const faultsOf = async (query: string) => {
  const { status, text } = await system.get(shop, `/api/payments?${query}`);
  const { code, errors } = JSON.parse(text) as {
    code: string;
    errors: { field: string; code: string; message: string }[];
  };
  expect([status, code]).toEqual([400, "validation_failed"]);
  return errors;
};

/** A range of time, in which every combination of filters is allowed. */
const RANGE = `from=${new Date(NEWEST.getTime() - 86_400_000).toISOString()}&to=${new Date(NEWEST.getTime() + 1).toISOString()}`;

test("a list has payments and refunds, newest first, each exactly once, in pages of any size", async () => {
  expect(everything).toHaveLength(COUNT * 1.2);
  expect(new Set(everything.map(({ paymentId }) => paymentId)).size).toBe(COUNT * 1.2);
  const dates = everything.map(({ paymentDate }) => paymentDate);
  expect(dates).toEqual(dates.toSorted().toReversed());
  const ids = everything.map(({ paymentId }) => paymentId);
  for (const limit of [7, 50, 199]) {
    expect((await list(`limit=${limit}`)).map(({ paymentId }) => paymentId)).toEqual(ids);
  }
  expect(pageOf(await system.get(shop, "/api/payments")).items.map(({ paymentId }) => paymentId)).toEqual(
    ids.slice(0, 50),
  );
});

/** Each filter, and which of all rows it means. */
const FILTERS: [name: string, value: string, matches: (item: ListedItem) => boolean][] = [
  ["orderId", "order-40", ({ orderId }) => orderId === "order-40"],
  ["status", "SUCCESS", ({ status }) => status === "SUCCESS"],
  ["status", "ENROLLED", ({ status }) => status === "ENROLLED"],
  ["status", "CAPTURED", ({ status }) => status === "CAPTURED"],
  ["status", "PENDING_APPROVAL", ({ status }) => status === "PENDING_APPROVAL"],
  ["status", "REJECTED", () => false],
  ["transactionType", "REFUND", ({ transactionType }) => transactionType === "REFUND"],
  ["transactionType", "PAYMENT", ({ transactionType }) => transactionType === "PAYMENT"],
  ["transactionType", "PRE_AUTHORIZATION", ({ transactionType }) => transactionType === "PRE_AUTHORIZATION"],
  ["customerId", "customer-7", ({ customerId }) => customerId === "customer-7"],
  ["last4", "0040", ({ pan }) => String(pan).endsWith("0040")],
  ["bin", "979200", ({ pan }) => String(pan).startsWith("979200")],
  ["currency", "EUR", ({ currency }) => currency === "EUR"],
  ["amountFrom", "12.3", ({ amount }) => Number(amount) >= 12.3],
  ["amountTo", "12.30", ({ amount }) => Number(amount) <= 12.3],
  [
    "from",
    new Date(NEWEST.getTime() - 60_000).toISOString(),
    ({ paymentDate }) => Date.parse(paymentDate) >= NEWEST.getTime() - 60_000,
  ],
  [
    "to",
    new Date(NEWEST.getTime() - 30_000).toISOString(),
    ({ paymentDate }) => Date.parse(paymentDate) < NEWEST.getTime() - 30_000,
  ],
];
const PAIRS = FILTERS.flatMap((a, index) =>
  FILTERS.slice(index)
    .filter((b) => a === b || a[0] !== b[0])
    .map((b) => [a, b] as const),
);

test.each(PAIRS)("%j and %j find what they mean, of the merchant that asks alone", async (a, b) => {
  const parameters = new URLSearchParams(RANGE);
  for (const [name, value] of [a, b]) parameters.set(name, value);
  const means = (item: ListedItem) => a[2](item) && b[2](item);
  const ids = (items: ListedItem[]) => items.map(({ paymentId }) => paymentId);
  parameters.set("limit", "40");
  const found = await list(parameters.toString());
  expect(ids(found)).toEqual(ids(everything.filter(means)));
  const theirs = await list(parameters.toString(), neighbour);
  expect(theirs).toHaveLength(found.length);
  const own = new Set(ids(everything));
  expect(theirs.filter(({ paymentId }) => own.has(paymentId))).toEqual([]);
});

describe("a search", () => {
  test.each([
    ["bin=411111", ["bin"]],
    ["currency=TRY&amountFrom=1", ["currency", "amountFrom"]],
    ["status=SUCCESS&currency=TRY", ["status", "currency"]],
    ["transactionType=PAYMENT", ["transactionType"]],
    ["bin=411111&from=2026-01-01T00:00:00Z", ["bin"]],
    ["bin=411111&from=2026-01-01T00:00:00Z&to=2026-02-01T01:00:01Z", ["bin"]],
    ["bin=411111&to=2026-02-01T00:00:01Z", ["bin"]],
  ])("that no index answers needs a range of at most 31 days: %s", async (query, fields) => {
    const faults = await faultsOf(query);
    expect(faults.map(({ field }) => field)).toEqual(fields);
    expect(new Set(faults.map(({ code }) => code))).toEqual(new Set(["range_required"]));
  });

  test.each([
    "bin=411111&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z",
    // A month in which clocks go back.
    "bin=411111&from=2026-09-30T22:00:00Z&to=2026-10-31T23:00:00Z",
    "bin=411111&orderId=order-1",
    "currency=TRY&last4=0001",
    "amountTo=5&customerId=customer-1",
    "status=FAILED",
    "transactionType=REFUND",
  ])("that is bounded or has an index is answered: %s", async (query) => {
    expect((await system.get(shop, `/api/payments?${query}`)).status).toBe(200);
  });

  test.each([
    ["orderID=1", "orderID", "unknown_parameter"],
    ["from=2026-11-01", "from", "invalid_format"],
    ["from=2026-11-01T00:00:00", "from", "invalid_format"],
    ["from=0001-01-01T00:00:00Z", "from", "out_of_range"],
    ["from=2026-11-02T00:00:00Z&to=2026-11-02T00:00:00Z", "to", "invalid_range"],
    ["limit=0", "limit", "invalid_format"],
    ["limit=201", "limit", "invalid_format"],
    ["last4=12345", "last4", "invalid_format"],
    ["amountFrom=-1", "amountFrom", "invalid_format"],
    ["amountFrom=1e3", "amountFrom", "invalid_format"],
    ["status=success", "status", "invalid_value"],
    ["customerId=4111111111111111", "customerId", "card_number"],
    ["orderId=a&orderId=b", "orderId", "invalid_type"],
    ["bom=1", "bom", "not_allowed"],
  ])("that cannot be read is refused by name: %s", async (query, field, code) => {
    expect(await faultsOf(query)).toMatchObject([{ field, code }]);
  });
});

test("what is rare is found, however many rows lie before it, in pages that may be empty", async () => {
  const other = await system.openShop();
  const { merchantId } = other;
  await insertPayments(system.query, { merchantId, count: 2_000, newestAt: NEWEST });
  await system.query(
    "update payments.payment set currency = 'KWD' where merchant_id = $1 and order_id in ('order-700', 'order-2000')",
    [merchantId],
  );
  const pages: number[] = [];
  const found = await readAll(
    (query) => system.get(other, `/api/payments${query}`),
    `${RANGE}&currency=KWD&limit=1`,
    ({ items }) => void pages.push(items.length),
  );
  expect(found.map(({ orderId }) => orderId)).toEqual(["order-700", "order-2000"]);
  // 50 rows for each that is asked for, ten times a page.
  expect(pages.slice(0, 2)).toEqual([0, 1]);
});

/**
 * The whole way; a model of the merge of both services' parts has a thousand orders of arrival (`merge-parts.test.ts`).
 */
test("while a hundred payments arrive between two pages, each row that was there is shown exactly once", async () => {
  const busy = await system.openShop();
  const { merchantId } = busy;
  await insertPayments(system.query, { merchantId, count: 400, newestAt: NEWEST });
  await insertRefunds(system.query, { merchantId, count: 80, newestAt: NEWEST, apartMs: 5_000 });
  const before = await list("limit=200", busy);
  let arrived = 0;
  const arrive = async (newestAt: Date) => {
    const rows = { merchantId, newestAt, order: `arrived-${(arrived += 1)}` };
    await insertPayments(system.query, { ...rows, count: 100, apartMs: 10 });
    await insertRefunds(system.query, { ...rows, count: 5, apartMs: 200 });
  };
  const seen = await readAll(
    (query) => system.get(busy, `/api/payments${query}`),
    "limit=50",
    async ({ items }) => {
      await arrive(new Date());
      // Committed later than their times say: around the last row that was shown.
      if (arrived < 9) await arrive(new Date(Date.parse(items.at(-1)!.paymentDate) + 500));
    },
  );
  const ids = seen.map(({ paymentId }) => paymentId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(before.filter(({ paymentId }) => !ids.includes(paymentId))).toEqual([]);
  expect(seen.length).toBeGreaterThan(before.length);
});

test("a part that does not answer is a 503, and never a short list", async () => {
  await system.refundsService.stop();
  const { status, headers, text } = await system.get(shop, "/api/payments");
  expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([503, "service_unavailable"]);
  expect(headers.get("retry-after")).toBe("1");
  expect((await system.get(shop, "/api/payments", { accept: "text/csv" })).status).toBe(503);
  // No row matches this search.
  expect((await system.get(shop, `/api/payments?${RANGE}&transactionType=PAYMENT`)).status).toBe(200);
  await system.start("refunds");
  expect((await system.get(shop, "/api/payments")).status).toBe(200);
});

describe("a cursor", () => {
  const cursorOf = async (query: string) =>
    pageOf(await system.get(shop, `/api/payments?${query}`)).nextCursor!;

  test.each([
    ["of another search", "customerId=customer-2", shop],
    ["of a search with one filter more", "customerId=customer-1&currency=TRY", shop],
    ["with something changed", "customerId=customer-1", shop, "x"],
    ["of another merchant", "customerId=customer-1", undefined],
  ])("%s is refused", async (_what, query, by = neighbour, changed = "") => {
    const cursor = await cursorOf("customerId=customer-1&limit=2");
    const { status, text } = await system.get(
      by,
      `/api/payments?${query}&limit=2&cursor=${cursor}${changed}`,
    );
    expect([status, (JSON.parse(text) as { errors: unknown[] }).errors]).toMatchObject([
      400,
      [{ field: "cursor", code: "invalid_cursor" }],
    ]);
  });

  test("goes on with pages of another size, whatever the order of the parameters", async () => {
    const cursor = await cursorOf("status=SUCCESS&customerId=customer-1&limit=2");
    const rest = pageOf(
      await system.get(shop, `/api/payments?cursor=${cursor}&limit=200&customerId=customer-1&status=SUCCESS`),
    );
    const all = await list("status=SUCCESS&customerId=customer-1");
    expect(rest.items).toEqual(all.slice(2));
  });
});
