import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { HttpAnswer } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";

// Stops the clock, so that buckets are refilled only when the test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

async function setUp(settings: Record<string, string>) {
  const gateway = await startTestGateway(settings);
  onTestFinished(() => gateway.stop());
  return gateway;
}

const A_LINK = "0d6d4b32-6c2e-4f5c-9a59-3f3f0a3c1b10";

/** Gets past the sign-in as a 404. */
function call(
  gateway: TestGateway,
  headers: Record<string, string>,
  from = "127.0.0.1",
): Promise<HttpAnswer> {
  return gateway.merchantApi({ path: "/api/nowhere", headers, localAddress: from });
}

function wrong({ headers }: TestMerchant): Record<string, string> {
  return { ...headers, "x-api-secret": `hs_${"A".repeat(43)}` };
}

describe("a merchant's requests", () => {
  test("say what is left, above the limit are 429 with Retry-After, and another merchant's are not touched", async () => {
    const gateway = await setUp({ RATE_LIMIT_PER_SECOND: "2" });
    const [noisy, other] = [await gateway.createMerchant(), await gateway.createMerchant()];
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(gateway, noisy.headers)));
    const refused = answers.filter(({ status }) => status === 429);
    // A bucket of two.
    expect(refused).toHaveLength(18);
    for (const answer of refused) {
      expectProblem(answer, "rate_limited");
      expect(answer.headers).toMatchObject({
        "retry-after": "1",
        "ratelimit-policy": '"merchant";q=2;w=1',
        ratelimit: '"merchant";r=0;t=1',
      });
    }
    const undisturbed = await call(gateway, other.headers);
    expect(undisturbed.status).toBe(404);
    expect(undisturbed.headers).toMatchObject({
      "ratelimit-policy": '"merchant";q=2;w=1',
      ratelimit: '"merchant";r=1;t=1',
    });
  });

  test("count together whichever of its keys they come with, and are let through again", async () => {
    const gateway = await setUp({ RATE_LIMIT_PER_SECOND: "2" });
    const merchant = await gateway.createMerchant();
    const path = `/operator/merchants/${merchant.merchantId}/credentials`;
    const { body } = await gateway.operatorApi({ method: "POST", path });
    const second = { "x-api-key": String(body["apiKey"]), "x-api-secret": String(body["apiSecret"]) };
    const calls = [merchant.headers, second].flatMap((headers) => Array<typeof headers>(10).fill(headers));
    const answers = await Promise.all(calls.map((headers) => call(gateway, headers)));
    for (const own of [answers.slice(0, 10), answers.slice(10)]) {
      expect(own.some(({ status }) => status === 429)).toBe(true);
    }
    vi.advanceTimersByTime(500);
    expect((await call(gateway, second)).status).toBe(404);
  });

  test.each(["/api/payment-links", `/api/payment-links/${A_LINK}/disable`, `/api/checkout/${A_LINK}/cancel`])(
    "POST %s above the limit is a 429 before anything of it is read",
    async (path) => {
      const gateway = await setUp({ RATE_LIMIT_PER_SECOND: "1" });
      const { headers } = await gateway.createMerchant();
      expect((await call(gateway, headers)).status).toBe(404);
      const answer = await gateway.merchantApi({ method: "POST", path, headers, body: "{" });
      expectProblem(answer, "rate_limited");
      expect(answer.headers["retry-after"]).toBe("1");
    },
  );

  test("on the operator API have no such limit", async () => {
    const gateway = await setUp({ RATE_LIMIT_PER_SECOND: "1" });
    const list = () => gateway.operatorApi({ path: "/operator/merchants" });
    const answers = await Promise.all(Array.from({ length: 10 }, list));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(answers[0]!.headers).not.toHaveProperty("ratelimit");
  });
});

describe("failed sign-ins of operators", () => {
  test("lock the address they come from, but for people who have signed in from there, and nobody elsewhere", async () => {
    const gateway = await setUp({ FAILED_SIGN_INS_PER_MINUTE_PER_IP: "5" });
    const tokenOf = async (sub: string, issuer?: string) =>
      await gateway.identity.token({ claims: { sub, ...(issuer && { iss: issuer }) } });
    const list = (token: string | undefined, from = "127.0.0.1") =>
      gateway.operatorApi({
        path: "/operator/merchants",
        role: null,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        localAddress: from,
      });
    expect((await list(await tokenOf("aysel"))).status).toBe(200);
    const forged = await tokenOf("mallory", "https://evil.example.test");
    const answers = [];
    for (let count = 0; count < 8; count++) answers.push(await list(count % 2 ? forged : undefined));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expectProblem(answers[7]!, "rate_limited");
    expect(Number(answers[7]!.headers["retry-after"])).toBeGreaterThan(0);
    expect((await list(await tokenOf("aysel"))).status, "has worked from there").toBe(200);
    expectProblem(await list(await tokenOf("bora")), "rate_limited");
    expect((await list(await tokenOf("bora"), "127.0.0.2")).status).toBe(200);
    vi.advanceTimersByTime(60_000);
    expect((await list(await tokenOf("bora"))).status).toBe(200);
  });

  test("in the name of somebody who works from the address are counted, too", async () => {
    const gateway = await setUp({ FAILED_SIGN_INS_PER_MINUTE_PER_IP: "2" });
    expect((await gateway.operatorApi({ path: "/operator/merchants" })).status).toBe(200);
    const forged = await gateway.identity.token({ claims: { iss: "https://evil.example.test" } });
    const attempt = {
      path: "/operator/merchants",
      role: null,
      headers: { authorization: `Bearer ${forged}` },
    };
    const answers = [];
    for (let count = 0; count < 4; count++) answers.push((await gateway.operatorApi(attempt)).status);
    expect(answers).toEqual([401, 401, 429, 429]);
    expect((await gateway.operatorApi({ path: "/operator/merchants" })).status).toBe(200);
  });
});

describe("failed sign-ins", () => {
  test("lock the address they come from, and nobody elsewhere", async () => {
    const gateway = await setUp({ FAILED_SIGN_INS_PER_MINUTE_PER_IP: "5" });
    const merchant = await gateway.createMerchant();
    const attempts: HttpAnswer[] = [];
    for (let count = 0; count < 8; count++) attempts.push(await call(gateway, {}, "127.0.0.66"));
    for (const answer of attempts.slice(0, 5)) expectProblem(answer, "unauthorized");
    for (const answer of attempts.slice(5)) {
      expectProblem(answer, "rate_limited");
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      expect(Number(answer.headers["retry-after"])).toBeLessThanOrEqual(12);
    }
    expect((await call(gateway, merchant.headers, "127.0.0.67")).status).toBe(404);
    expectProblem(await call(gateway, wrong(merchant), "127.0.0.67"), "unauthorized");
  });

  test("of a shop with an old secret keep out nobody who comes new to its address", async () => {
    const gateway = await setUp({ FAILED_SIGN_INS_PER_MINUTE_PER_IP: "5" });
    const [shop, newcomer] = [await gateway.createMerchant(), await gateway.createMerchant()];
    const answers = [];
    for (let count = 0; count < 20; count++) answers.push((await call(gateway, wrong(shop))).status);
    expect(answers.filter((status) => status === 401)).toHaveLength(5);
    expect(answers.at(-1)).toBe(429);
    expect((await call(gateway, newcomer.headers)).status).toBe(404);
    expect((await call(gateway, newcomer.headers)).status, "is known there now").toBe(404);
  });

  test("from an address that a merchant works from, too, do not stop the merchant", async () => {
    const gateway = await setUp({ FAILED_SIGN_INS_PER_MINUTE_PER_IP: "5" });
    const merchant = await gateway.createMerchant();
    expect((await call(gateway, merchant.headers)).status).toBe(404);
    for (let count = 0; count < 8; count++) await call(gateway, {});
    expectProblem(await call(gateway, {}), "rate_limited");
    expect((await call(gateway, merchant.headers)).status).toBe(404);
    expectProblem(await call(gateway, wrong(merchant)), "rate_limited");
  });

  test("with one key from many addresses are told to wait, and its owner gets in from all of them", async () => {
    const gateway = await setUp({ FAILED_SIGN_INS_PER_MINUTE_PER_KEY: "3" });
    const merchant = await gateway.createMerchant();
    const hosts = [71, 72, 73, 74, 75].map((host) => `127.0.0.${host}`);
    const attempts: HttpAnswer[] = [];
    for (const host of hosts) attempts.push(await call(gateway, wrong(merchant), host));
    for (const answer of attempts.slice(0, 3)) expectProblem(answer, "unauthorized");
    for (const answer of attempts.slice(3)) expectProblem(answer, "rate_limited");
    for (const host of hosts) expect((await call(gateway, merchant.headers, host)).status).toBe(404);
  });

  test("of a locked address cost no look-up once its tries are used up", async () => {
    const gateway = await setUp({ FAILED_SIGN_INS_PER_MINUTE_PER_IP: "1" });
    await call(gateway, {});
    const unknown = (letter: string) => ({
      "x-api-key": `hk_live_${letter.repeat(24)}`,
      "x-api-secret": "hs_wrong",
    });
    await call(gateway, unknown("A"));
    gateway.databaseLink.cut();
    expectProblem(await call(gateway, unknown("B")), "rate_limited");
    expectProblem(await call(gateway, unknown("B"), "127.0.0.68"), "service_unavailable");
  });
});
