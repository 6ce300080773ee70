import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { problem, scriptedGateway, socketError, withoutWaiting } from "../test/scripted-gateway.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

const ID = "0d6d4b32-6c2e-4f5c-9a59-3f3f0a3c1b10";
const link = (status: string) => ({
  paymentLinkId: ID,
  paymentLinkUrl: `https://pay.example/link/${ID}`,
  status,
});
const busy = { ...problem(503, "service_unavailable"), headers: { "Retry-After": "1" } };
const underWay = { ...problem(409, "operation_in_progress"), headers: { "Retry-After": "1" } };
const request = { orderId: "lesson-1", description: "Piano lesson", amount: "12.50", currency: "TRY" };
const targets = (asked: { method: string; url: string }[]) =>
  asked.map(({ method, url }) => `${method} ${url.replace("https://gateway.example", "")}`);

test("a link is made under one key however often the request is sent, with its amount as it was written", async () => {
  const { holdfast, asked } = scriptedGateway([busy, { status: 201, body: link("ACTIVE") }]);
  const ended = await withoutWaiting(holdfast.paymentLinks.create(request, { idempotencyKey: "lesson-1" }));
  expect(ended).toEqual({
    outcome: "done",
    paymentLink: link("ACTIVE"),
    replayed: false,
    idempotencyKey: "lesson-1",
    attempts: 2,
  });
  expect(targets(asked)).toEqual(["POST /api/payment-links", "POST /api/payment-links"]);
  expect(asked.map(({ headers }) => headers["Idempotency-Key"])).toEqual(["lesson-1", "lesson-1"]);
  expect(asked[1]!.body).toContain('"amount":12.50');
});

test("a link whose making was not answered is unknown, and the same call finds it", async () => {
  const silent = scriptedGateway([socketError("ECONNRESET")], { retries: 0 });
  const ended = await silent.holdfast.paymentLinks.create(request);
  expect(ended).toMatchObject({ outcome: "unknown", idempotencyKey: expect.any(String) });
  const headers = { "Idempotent-Replayed": "true" };
  const again = scriptedGateway([{ status: 201, body: link("ACTIVE"), headers }]);
  const { idempotencyKey } = ended;
  expect(await again.holdfast.paymentLinks.create(request, { idempotencyKey })).toMatchObject({
    outcome: "done",
    replayed: true,
  });
});

test("a link is read, drawn, ended and listed", async () => {
  const svg = "<svg xmlns='http://www.w3.org/2000/svg'/>";
  const { holdfast, asked } = scriptedGateway([
    { status: 200, body: link("ACTIVE") },
    { status: 200, body: svg, headers: { "Content-Type": "image/svg+xml" } },
    { status: 200, body: link("DISABLED") },
    { status: 200, body: { items: [link("DISABLED")], nextCursor: "c1" } },
    { status: 200, body: { items: [link("EXPIRED")] } },
    { status: 200, body: "paymentLinkId\r\n#rows,0\r\n", headers: { "Content-Type": "text/csv" } },
  ]);
  expect(await holdfast.paymentLinks.get(ID)).toEqual(link("ACTIVE"));
  expect(await holdfast.paymentLinks.qrCode(ID)).toBe(svg);
  expect(await holdfast.paymentLinks.disable(ID)).toMatchObject({
    outcome: "done",
    paymentLink: { status: "DISABLED" },
  });
  const listed: string[] = [];
  for await (const { status } of holdfast.paymentLinks.list()) listed.push(status);
  expect(listed).toEqual(["DISABLED", "EXPIRED"]);
  for await (const piece of holdfast.paymentLinks.exportCsv()) listed.push(piece);
  expect(listed.at(-1)).toContain("#rows,0");
  expect(targets(asked)).toEqual([
    `GET /api/payment-links/${ID}`,
    `GET /api/payment-links/${ID}`,
    `POST /api/payment-links/${ID}/disable`,
    "GET /api/payment-links?limit=200",
    "GET /api/payment-links?limit=200&cursor=c1",
    "GET /api/payment-links",
  ]);
  expect(asked[1]!.headers["Accept"]).toContain("image/svg+xml");
});

test("a code is an image or an error: repeated where that may help, and never another page", async () => {
  const svg = { status: 200, body: "<svg/>", headers: { "Content-Type": "image/svg+xml; charset=utf-8" } };
  const after = scriptedGateway([busy, socketError("ECONNRESET"), svg]);
  expect(await withoutWaiting(after.holdfast.paymentLinks.qrCode(ID))).toBe("<svg/>");
  const strange = scriptedGateway([problem(404, "payment_link_not_found")]);
  await expect(strange.holdfast.paymentLinks.qrCode(ID)).rejects.toMatchObject({
    code: "payment_link_not_found",
  });
  const portal = { status: 200, body: "<html>", headers: { "Content-Type": "text/html" } };
  const behind = scriptedGateway([portal], { retries: 0 });
  await expect(behind.holdfast.paymentLinks.qrCode(ID)).rejects.toMatchObject({ code: "unexpected_answer" });
  const older = scriptedGateway([{ status: 200, body: link("ACTIVE") }]);
  await expect(older.holdfast.paymentLinks.qrCode(ID)).rejects.toMatchObject({ code: "unexpected_answer" });
});

test("a checkout is cancelled, or says why it is not", async () => {
  const cancelled = { checkoutId: ID, status: "CANCELLED" };
  const { holdfast, asked } = scriptedGateway([underWay, { status: 200, body: cancelled }]);
  expect(await withoutWaiting(holdfast.checkouts.cancel(ID))).toMatchObject({
    outcome: "done",
    checkout: cancelled,
    attempts: 2,
  });
  expect(targets(asked)).toEqual([`POST /api/checkout/${ID}/cancel`, `POST /api/checkout/${ID}/cancel`]);
  expect(asked[0]!.headers["Idempotency-Key"]).toBe(asked[1]!.headers["Idempotency-Key"]);
  expect(asked[0]!.body).toBeUndefined();
  const paid = scriptedGateway([problem(409, "checkout_not_open")]);
  expect(await paid.holdfast.checkouts.cancel(ID)).toMatchObject({
    outcome: "not_started",
    error: { code: "checkout_not_open", retryable: false },
  });
  await expect(paid.holdfast.checkouts.cancel("../payments")).rejects.toMatchObject({
    code: "invalid_argument",
  });
});
