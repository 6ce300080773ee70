import { withClient } from "@holdfast/sandbox/infrastructure";
import { personAs, eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { preAuthorizationBody } from "../../test/builders.ts";
import type { HttpAnswer, HttpRequest } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import {
  JSON_TYPE,
  merchantOf,
  startTestGateway,
  type TestGateway,
  type TestMerchant,
} from "../../test/test-gateway.ts";
import { startTestPayments } from "../../test/test-payments.ts";
import { startTestRefunds } from "../../test/test-refunds.ts";

let gateway: TestGateway;
let payments: Awaited<ReturnType<typeof startTestPayments>>;
let refunds: Awaited<ReturnType<typeof startTestRefunds>>;
let merchant: TestMerchant;
let suspended: TestMerchant;
let revoked: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway({ CREDENTIAL_CACHE_TTL: "300ms" });
  payments = await startTestPayments(gateway.nats.url);
  refunds = await startTestRefunds(gateway.nats.url);
  [merchant, suspended, revoked] = await Promise.all([
    gateway.createMerchant(),
    gateway.createMerchant(),
    gateway.createMerchant(),
  ]);
  await asOwner(`update merchant set status = 'SUSPENDED' where merchant_id = '${suspended.merchantId}'`);
  await asOwner(`update credential set revoked_at = now() where api_key = '${revoked.apiKey}'`);
});
afterAll(async () => {
  await refunds.stop();
  await payments.stop();
  await gateway.stop();
});

/** Changes the database as another process would: this one's cache does not know. */
async function asOwner(sql: string): Promise<void> {
  await withClient(gateway.database.urls.gateway.owner, async (client) => void (await client.query(sql)));
}

function call(headers: HttpRequest["headers"], request: Partial<HttpRequest> = {}): Promise<HttpAnswer> {
  return gateway.merchantApi({
    path: "/api/payment/0199aaaa-0000-7000-8000-000000000009",
    headers: { ...headers },
    ...request,
  });
}

/** Everything of an answer that is not its own id or the time. */
function withoutIds({ status, headers, text }: HttpAnswer) {
  const { "x-request-id": requestId, date: _date, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(requestId!, "ID") };
}

describe("without valid credentials the answer is 401, the same bytes for every reason", () => {
  test("missing, unknown, wrong, revoked, suspended, swapped, doubled", async () => {
    const { apiKey, apiSecret } = merchant;
    const unknown = `hk_live_${"A".repeat(24)}`;
    const attempts: HttpRequest["headers"][] = [
      {},
      { "x-api-key": apiKey },
      { "x-api-secret": apiSecret },
      { "x-api-key": "", "x-api-secret": "" },
      { "x-api-key": unknown, "x-api-secret": apiSecret },
      { "x-api-key": apiKey, "x-api-secret": `hs_${"A".repeat(43)}` },
      { "x-api-key": apiKey, "x-api-secret": suspended.apiSecret },
      { "x-api-key": apiSecret, "x-api-secret": apiKey },
      revoked.headers,
      suspended.headers,
      { "x-api-key": [apiKey, apiKey], "x-api-secret": apiSecret },
      { "x-api-key": apiKey, "x-api-secret": [apiSecret, apiSecret] },
      { "x-api-key": [apiKey, unknown], "x-api-secret": apiSecret },
      { "x-api-key": `${apiKey}, ${apiKey}`, "x-api-secret": apiSecret },
      { authorization: `Bearer ${await gateway.identity.token()}` },
    ];
    const answers = await Promise.all(attempts.map((headers) => call(headers)));
    for (const answer of answers) {
      expectProblem(answer, "unauthorized");
      expect(answer.headers["www-authenticate"]).toBe("ApiKey");
      expect(withoutIds(answer)).toEqual(withoutIds(answers[0]!));
    }
    expect(payments.lookups).toEqual([]);
  });

  test.each([
    ["a valid body", preAuthorizationBody(), JSON_TYPE],
    ["1 MB", Buffer.alloc(1_000_000, "x"), JSON_TYPE],
    ["1 MB in chunks", Buffer.alloc(1_000_000, "x"), { ...JSON_TYPE, "transfer-encoding": "chunked" }],
    ["broken JSON", "{", JSON_TYPE],
    ["another media type", "a=b", { "content-type": "text/plain" }],
    ["a body that never comes", undefined, { ...JSON_TYPE, "content-length": "10" }],
  ])("whatever is sent with it: %s", async (_case, body, headers: Record<string, string>) => {
    const answer = await gateway.merchantApi({
      method: "POST",
      path: "/api/pre-authorization",
      headers: { "x-api-key": merchant.apiKey, "x-api-secret": "hs_wrong", ...headers },
      ...(body === undefined ? { withoutBody: true } : { body }),
    });
    expectProblem(answer, "unauthorized");
    expect(payments.received).toEqual([]);
  });

  test.each([
    ["GET", "/api"],
    ["GET", "/api/nowhere"],
    ["DELETE", "/api/pre-authorization"],
    ["GET", "/api/payment/%zz"],
    ["OPTIONS", "/api/payment/x"],
  ])("before it is told whether there is %s %s", async (method, path) => {
    expectProblem(await gateway.merchantApi({ method, path }), "unauthorized");
  });
});

describe("a revocation in another process", () => {
  test("acts within the cache's time", async () => {
    const victim = await gateway.createMerchant();
    expect((await call(victim.headers)).status).toBe(404);
    await asOwner(`update credential set revoked_at = now() where api_key = '${victim.apiKey}'`);
    await eventually(async () => expectProblem(await call(victim.headers), "unauthorized"));
  });

  test("of a merchant's suspension, too, and back", async () => {
    const victim = await gateway.createMerchant();
    expect((await call(victim.headers)).status).toBe(404);
    await asOwner(`update merchant set status = 'SUSPENDED' where merchant_id = '${victim.merchantId}'`);
    await eventually(async () => expectProblem(await call(victim.headers), "unauthorized"));
    await asOwner(`update merchant set status = 'ACTIVE' where merchant_id = '${victim.merchantId}'`);
    await eventually(async () => expect((await call(victim.headers)).status).toBe(404));
  });
});

describe("with valid credentials", () => {
  test("a second pair signs in as the same merchant, beside the first", async () => {
    const path = `/operator/merchants/${merchant.merchantId}/credentials`;
    const second = merchantOf(await gateway.operatorApi({ method: "POST", path }));
    for (const { headers } of [merchant, second]) await call(headers);
    const [first, other] = payments.lookups.slice(-2);
    const signedIn = { merchantId: merchant.merchantId, credentialIssuedBy: personAs("olga") };
    expect(first!.context.merchant).toEqual(signedIn);
    expect(other!.context.merchant).toEqual(signedIn);
  });

  test.each([
    "/api/nowhere",
    "/api",
    "/api/pre-authorization/",
    "/api/Pre-Authorization",
    "/api/payment/a/b",
  ])("there is no route %s", async (path) => {
    expectProblem(await call(merchant.headers, { path }), "route_not_found");
  });

  test.each([
    ["GET", "/api/pre-authorization", "POST"],
    ["OPTIONS", "/api/pre-authorization", "POST"],
    ["POST", "/api/payment/x", "GET, HEAD"],
    ["DELETE", "/api/payment/x", "GET, HEAD"],
  ])("%s %s is not allowed", async (method, path, allow) => {
    const answer = await call(merchant.headers, { method, path });
    expectProblem(answer, "method_not_allowed");
    expect(answer.headers["allow"]).toBe(allow);
  });

  test("a path that is not well percent-encoded is a bad request", async () => {
    expectProblem(await call(merchant.headers, { path: "/api/payment/%zz" }), "malformed_request");
  });
});

describe("what is not the merchant API needs no sign-in to be not there", () => {
  test.each([
    "/",
    "/operator/merchants",
    "/admin",
    "/API/payment/x",
    "/apix",
    "//api/payment/x",
    "/livez",
    "/readyz",
    "/metrics",
  ])("%s", async (path) => {
    expectProblem(await gateway.merchantApi({ path }), "route_not_found");
    expectProblem(await gateway.merchantApi({ path, headers: merchant.headers }), "route_not_found");
  });
});
