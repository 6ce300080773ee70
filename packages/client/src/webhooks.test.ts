import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { problem, scriptedGateway, socketError, withoutWaiting } from "../test/scripted-gateway.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ENDPOINT = "019f0000-0000-7000-8000-000000000002";

test("endpoints are listed, and one is tried under one key however often the request is sent", async () => {
  const endpoint = { endpointId: ENDPOINT, health: { breaker: "closed" } };
  const result = { eventId: "e-1", delivered: false, statusCode: 500, error: "status", durationMs: 12 };
  const busy = { ...problem(503, "service_unavailable"), headers: { "Retry-After": "1" } };
  const steps = [{ status: 200, body: { items: [endpoint] } }, busy, { status: 200, body: result }];
  const { holdfast, asked } = scriptedGateway(steps);
  expect(await holdfast.webhooks.list()).toEqual([endpoint]);
  expect(await withoutWaiting(holdfast.webhooks.test(ENDPOINT))).toEqual(result);
  expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET https://gateway.example/api/webhooks",
    `POST https://gateway.example/api/webhooks/${ENDPOINT}/test`,
    `POST https://gateway.example/api/webhooks/${ENDPOINT}/test`,
  ]);
  const keys = asked.map(({ headers }) => headers["Idempotency-Key"]);
  expect(keys[1]).toEqual(expect.any(String));
  expect(keys[2]).toBe(keys[1]);
});

test("a test of an endpoint that is not yours is an error, and so is one of which nothing is known", async () => {
  const unknown = scriptedGateway([problem(404, "webhook_not_found")]);
  await expect(unknown.holdfast.webhooks.test(ENDPOINT)).rejects.toMatchObject({ code: "webhook_not_found" });
  const silent = scriptedGateway([problem(504, "outcome_unknown")], { retries: 0 });
  await expect(silent.holdfast.webhooks.test(ENDPOINT)).rejects.toMatchObject({ code: "outcome_unknown" });
});

test("the health of an endpoint is read by the hour", async () => {
  const failed = [{ error: "timeout", count: 1 }];
  const hour = { hour: "2026-11-30T09:00:00.000Z", sent: 3, answered: 2, failed };
  const { holdfast, asked } = scriptedGateway([{ status: 200, body: { items: [hour] } }]);
  expect(await holdfast.webhooks.health(ENDPOINT)).toEqual([hour]);
  expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `GET https://gateway.example/api/webhooks/${ENDPOINT}/health`,
  ]);
});

test("an endpoint is made, changed, given a new secret and removed, with no key", async () => {
  const endpoint = { endpointId: ENDPOINT, url: "https://shop.example/hooks" };
  const rotated = { secret: "whs_b", activatesAt: "2026-12-01T00:00:00.000Z" };
  const { holdfast, asked } = scriptedGateway([
    { status: 201, body: { ...endpoint, secret: "whs_a" } },
    { status: 200, body: { ...endpoint, enabled: false } },
    { status: 200, body: rotated },
    { status: 204 },
    { status: 204 },
  ]);
  const { webhooks } = holdfast;
  expect(await webhooks.create({ url: endpoint.url, headers: [{ name: "x-tenant", value: "7" }] })).toEqual({
    ...endpoint,
    secret: "whs_a",
  });
  expect(await webhooks.change(ENDPOINT, { enabled: false, whileOff: "wait" })).toMatchObject({
    enabled: false,
  });
  expect(await webhooks.rotateSecret(ENDPOINT)).toEqual(rotated);
  expect(await webhooks.activateSecret(ENDPOINT)).toBeUndefined();
  expect(await webhooks.remove(ENDPOINT)).toBeUndefined();
  const path = "https://gateway.example/api/webhooks";
  expect(asked.map(({ method, url, body }) => [method, url, body])).toEqual([
    ["POST", path, '{"url":"https://shop.example/hooks","headers":[{"name":"x-tenant","value":"7"}]}'],
    ["PATCH", `${path}/${ENDPOINT}`, '{"enabled":false,"whileOff":"wait"}'],
    ["POST", `${path}/${ENDPOINT}/rotate-secret`, undefined],
    ["POST", `${path}/${ENDPOINT}/activate-secret`, undefined],
    ["DELETE", `${path}/${ENDPOINT}`, undefined],
  ]);
  for (const { headers } of asked) expect(headers).not.toHaveProperty("Idempotency-Key");
});

test.each([
  ["a lost connection", socketError("ECONNRESET"), "no_answer"],
  ["a 504", problem(504, "outcome_unknown"), "outcome_unknown"],
  ["a proxy's page", { status: 503, body: "<h1>busy</h1>" }, "unexpected_answer"],
  ["a refusal", problem(403, "webhook_change_not_allowed"), "webhook_change_not_allowed"],
])("a change is not repeated after %s", async (_, step, code) => {
  const { holdfast, asked } = scriptedGateway([step]);
  await expect(holdfast.webhooks.rotateSecret(ENDPOINT)).rejects.toMatchObject({ code });
  expect(asked).toHaveLength(1);
});

test("a change is repeated where nothing was started", async () => {
  const busy = { ...problem(503, "service_unavailable"), headers: { "Retry-After": "1" } };
  const { holdfast, asked } = scriptedGateway([socketError("ECONNREFUSED"), busy, { status: 204 }]);
  await withoutWaiting(holdfast.webhooks.remove(ENDPOINT));
  expect(asked).toHaveLength(3);
});

test("an endpoint's address has no secret of yours in it", async () => {
  const { holdfast } = scriptedGateway([]);
  await expect(holdfast.webhooks.create({ url: "https://shop.example/?s=secret-1" })).rejects.toMatchObject({
    code: "secret_in_url",
  });
});

test("statements are read by their days, page by page, or as a file", async () => {
  const day = (on: string) => ({ day: on, currency: "TRY", netPayableAmount: 12.5 });
  const steps = [
    { status: 200, body: { items: [day("2026-11-01")], nextCursor: "c1" } },
    { status: 200, body: { items: [day("2026-11-02")] } },
    { status: 200, body: "day\r\n#rows,0\r\n", headers: { "Content-Type": "text/csv" } },
  ];
  const { holdfast, asked } = scriptedGateway(steps);
  const days = { from: "2026-11-01", to: "2026-11-30", currency: "TRY" };
  const read: string[] = [];
  for await (const statement of holdfast.statements.list(days)) read.push(statement.day);
  expect(read).toEqual(["2026-11-01", "2026-11-02"]);
  for await (const piece of holdfast.statements.exportCsv(days)) read.push(piece);
  expect(read.at(-1)).toContain("#rows,0");
  const search = "from=2026-11-01&to=2026-11-30&currency=TRY";
  expect(asked.map(({ url }) => url.replace("https://gateway.example", ""))).toEqual([
    `/api/statements?limit=200&${search}`,
    `/api/statements?limit=200&${search}&cursor=c1`,
    `/api/statements?${search}`,
  ]);
});
