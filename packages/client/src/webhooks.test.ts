import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { problem, scriptedGateway, withoutWaiting } from "../test/scripted-gateway.ts";

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
