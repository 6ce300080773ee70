import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pageOf, readAll, startListSystem, type ListSystem, type Shop } from "./list-system.ts";

// The routes of payment links and of a checkout's cancellation, with payments behind them.
let system: ListSystem;
let shop: Shop;
let neighbour: Shop;
beforeAll(async () => {
  system = await startListSystem({ PUBLIC_URL: "https://pay.example.test/" });
  [shop, neighbour] = [await system.openShop(), await system.openShop()];
});
afterAll(() => system.close());

const LESSON = { orderId: "lesson-1", description: "Piano lesson", amount: 12.5, currency: "TRY" };
const CHECKOUT = {
  orderId: "order-1",
  amount: 12.5,
  currency: "TRY",
  successUrl: "https://shop.example/paid",
  failureUrl: "https://shop.example/failed",
};

async function post(by: Shop, path: string, body: object, headers: Record<string, string> = {}) {
  const answer = await system.post({ ...by, headers: { ...by.headers, ...headers } }, path, body);
  return { ...answer, body: JSON.parse(answer.text) as Record<string, unknown> };
}

async function get(by: Shop, path: string) {
  const { status, text } = await system.get(by, path);
  return { status, body: JSON.parse(text) as Record<string, unknown> };
}

async function made(by: Shop, change: object = {}): Promise<string> {
  const { status, body } = await post(by, "/api/payment-links", { ...LESSON, ...change });
  expect({ status, body }).toMatchObject({ status: 201 });
  return String(body["paymentLinkId"]);
}

async function open(by: Shop): Promise<string> {
  return String((await post(by, "/api/checkout", CHECKOUT)).body["checkoutId"]);
}

const UNKNOWN_LINK = { status: 404, body: { code: "payment_link_not_found" } };
const UNKNOWN_CHECKOUT = { status: 404, body: { code: "checkout_not_found" } };

test("a link is made as it was asked for, its page is named, and it is read again as it was made", async () => {
  const asked = {
    ...LESSON,
    installmentOptions: [6, 3],
    returnUrl: "https://shop.example/thanks",
    use: "MULTIPLE",
    threeDs: false,
    expiresInSeconds: 3_600,
  };
  const answer = await post(shop, "/api/payment-links", asked);
  const { paymentLinkId, createdAt, expiresAt } = answer.body as Record<string, string>;
  expect(answer).toMatchObject({
    status: 201,
    body: {
      ...LESSON,
      livemode: true,
      status: "ACTIVE",
      installmentOptions: [1, 3, 6],
      returnUrl: "https://shop.example/thanks",
      use: "MULTIPLE",
      threeDs: false,
      paymentLinkUrl: `https://pay.example.test/checkout/links/${paymentLinkId}`,
    },
  });
  expect(Date.parse(expiresAt!) - Date.parse(createdAt!)).toBe(3_600_000);
  expect(answer.headers.get("location")).toBe(`/api/payment-links/${paymentLinkId}`);
  expect(await get(shop, `/api/payment-links/${paymentLinkId}`)).toEqual({ status: 200, body: answer.body });
});

test("without further fields it is for one payment, with 3-D Secure, for 30 days", async () => {
  const { body } = await post(shop, "/api/payment-links", LESSON);
  expect(body).toMatchObject({ use: "SINGLE", threeDs: true, installmentOptions: [1] });
  expect(Date.parse(String(body["expiresAt"])) - Date.parse(String(body["createdAt"]))).toBe(2_592_000_000);
});

test("all faults are told at once, in the schema's order, and nothing is made", async () => {
  const before = pageOf(await system.get(shop, "/api/payment-links")).items.length;
  const { status, body } = await post(shop, "/api/payment-links", {
    orderId: "",
    description: "x".repeat(201),
    amount: 1.234,
    currency: "TRY",
    installmentOptions: [0, 3, 3],
    threeDs: "yes",
    returnUrl: "javascript:alert(1)",
    use: "OFTEN",
    expiresInSeconds: 31_536_001,
  });
  expect({ status, body }).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  const faults = (body["errors"] as { field: string; code: string }[]).map(({ field, code }) => [
    field,
    code,
  ]);
  expect(faults).toEqual([
    ["orderId", "too_short"],
    ["description", "too_long"],
    ["amount", "too_many_decimals"],
    ["installmentOptions.0", "out_of_range"],
    ["installmentOptions", "duplicate"],
    ["threeDs", "invalid_type"],
    ["returnUrl", "invalid_url"],
    ["use", "invalid_value"],
    ["expiresInSeconds", "out_of_range"],
  ]);
  expect(pageOf(await system.get(shop, "/api/payment-links")).items).toHaveLength(before);
});

test("a live link does not lead to the buyer's own machine", async () => {
  const answer = await post(shop, "/api/payment-links", { ...LESSON, returnUrl: "http://localhost:3000/" });
  expect(answer).toMatchObject({
    status: 400,
    body: { errors: [{ field: "returnUrl", code: "invalid_url" }] },
  });
});

test("one Idempotency-Key is one link and one ending, and no other request", async () => {
  const key = { "idempotency-key": randomUUID() };
  const first = await post(shop, "/api/payment-links", LESSON, key);
  const again = await post(shop, "/api/payment-links", LESSON, key);
  expect(again.body).toEqual(first.body);
  expect([first, again].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
  expect(await post(shop, "/api/payment-links", { ...LESSON, amount: 13 }, key)).toMatchObject({
    status: 422,
    body: { code: "idempotency_key_reused" },
  });
  // The key belongs to the first merchant.
  const others = await post(neighbour, "/api/payment-links", LESSON, key);
  expect(others.body["paymentLinkId"]).not.toBe(first.body["paymentLinkId"]);

  const path = `/api/payment-links/${String(first.body["paymentLinkId"])}/disable`;
  const ending = { "idempotency-key": randomUUID() };
  const ended = await post(shop, path, {}, ending);
  expect(ended).toMatchObject({ status: 200, body: { status: "DISABLED" } });
  const endedAgain = await post(shop, path, {}, ending);
  expect(endedAgain.body).toEqual(ended.body);
  expect(endedAgain.headers.get("idempotent-replayed")).toBe("true");
});

test("the QR code is an image that runs and loads nothing, to its merchant only", async () => {
  const path = `/api/payment-links/${await made(shop)}`;
  const { status, headers, text } = await system.get(shop, path, { accept: "image/svg+xml" });
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("image/svg+xml");
  expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect(headers.get("vary")).toBe("Accept");
  expect(text).toMatch(/^<svg [^]*<\/svg>\s*$/);
  const others = await system.get(neighbour, path, { accept: "image/svg+xml" });
  expect([others.status, others.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  // A client that accepts anything gets the record.
  const any = await system.get(shop, path, { accept: "*/*" });
  expect(any.headers.get("content-type")).toMatch(/^application\/json/);
});

test("a link is its merchant's: to another one it does not exist, and is not ended", async () => {
  const paymentLinkId = await made(shop);
  const path = `/api/payment-links/${paymentLinkId}`;
  expect(await get(neighbour, path)).toMatchObject(UNKNOWN_LINK);
  expect(await post(neighbour, `${path}/disable`, {})).toMatchObject(UNKNOWN_LINK);
  expect(await get(shop, path)).toMatchObject({ body: { status: "ACTIVE" } });
  const listed = await readAll((query) => system.get(neighbour, `/api/payment-links${query}`), "limit=2");
  expect(listed.map((item) => item["paymentLinkId"])).not.toContain(paymentLinkId);
});

test("links are listed as a look-up shows each of them, newest first, in pages and as a file", async () => {
  const owner = await system.openShop();
  const ids: string[] = [];
  for (const orderId of ["a", "b", "c"]) ids.unshift(await made(owner, { orderId }));
  await post(owner, `/api/payment-links/${ids[1]!}/disable`, {});
  const list = (query: string) => system.get(owner, `/api/payment-links${query}`);
  const listed = await readAll(list, "limit=2");
  expect(listed.map((item) => [item["paymentLinkId"], item["status"]])).toEqual([
    [ids[0], "ACTIVE"],
    [ids[1], "DISABLED"],
    [ids[2], "ACTIVE"],
  ]);
  expect(await get(owner, `/api/payment-links/${ids[1]!}`)).toEqual({ status: 200, body: listed[1] });
  const csv = await system.get(owner, "/api/payment-links", { accept: "text/csv" });
  expect(csv.text).toMatch(/\r\n#rows,3,+\r\n$/);
  const { nextCursor } = pageOf(await list("?limit=1"));
  expect((await system.get(shop, `/api/payment-links?cursor=${nextCursor}`)).status).toBe(400);
  expect((await list("?orderId=a")).status).toBe(400);
});

test("an open checkout is cancelled by its merchant only, one time, and is found cancelled from then on", async () => {
  const checkoutId = await open(shop);
  const path = `/api/checkout/${checkoutId}`;
  expect(await post(neighbour, `${path}/cancel`, {})).toMatchObject(UNKNOWN_CHECKOUT);
  expect(await get(shop, path)).toMatchObject({ body: { status: "OPEN" } });
  const key = { "idempotency-key": randomUUID() };
  const cancelled = await post(shop, `${path}/cancel`, {}, key);
  expect(cancelled).toMatchObject({ status: 200, body: { checkoutId, status: "CANCELLED" } });
  const again = await post(shop, `${path}/cancel`, {}, key);
  expect(again.body).toEqual(cancelled.body);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  // Without the key the link is answered unchanged. A key belongs to its path, so the key of another path is
  // unused here.
  expect(await post(shop, `${path}/cancel`, {})).toMatchObject({
    status: 200,
    body: { status: "CANCELLED" },
  });
  const second = await post(shop, `/api/checkout/${await open(shop)}/cancel`, {}, key);
  expect(second.headers.get("idempotent-replayed")).toBeNull();
  expect(await get(shop, path)).toEqual({ status: 200, body: cancelled.body });
});

test("a checkout that ended otherwise, or that nobody made, is not cancelled", async () => {
  const checkoutId = await open(shop);
  await system.query("update payments.checkout set expires_at = created_at where checkout_id = $1", [
    checkoutId,
  ]);
  const late = await post(shop, `/api/checkout/${checkoutId}/cancel`, {});
  expect(late).toMatchObject({ status: 409, body: { code: "checkout_not_open" } });
  for (const id of [randomUUID(), "x"])
    expect(await post(shop, `/api/checkout/${id}/cancel`, {})).toMatchObject(UNKNOWN_CHECKOUT);
});
