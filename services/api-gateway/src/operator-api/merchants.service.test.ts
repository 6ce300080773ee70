import { withClient } from "@holdfast/sandbox/infrastructure";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { HttpAnswer } from "../../test/http-client.ts";
import { expectCommonHeaders, expectProblem } from "../../test/problems.ts";
import { merchantOf, startTestGateway, type TestGateway } from "../../test/test-gateway.ts";

const NOWHERE = "0199aaaa-0000-7000-8000-000000000001";
const COMMISSION = { ratePercent: "2.50", fixed: "0.25", currency: "TRY" };

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startTestGateway({ CREDENTIAL_CACHE_TTL: "10s" })));
beforeEach(() => void (gateway.lines.length = 0));
afterAll(() => gateway.stop());

function create(body: unknown, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return gateway.operatorApi({ method: "POST", path: "/operator/merchants", body: text, headers });
}

function get(path: string, role = "viewer"): Promise<HttpAnswer> {
  return gateway.operatorApi({ path: `/operator/merchants${path}`, role });
}

/** True if a merchant's call gets past the sign-in. */
async function signsIn({ headers }: { headers: Record<string, string> }): Promise<boolean> {
  return (await gateway.merchantApi({ path: "/api/nowhere", headers })).status === 404;
}

describe("onboarding", () => {
  test("answers with the key and the secret, which sign in at once", async () => {
    const answer = await create({ name: "Zoë's shop", commission: COMMISSION });
    const { merchantId, apiKey, apiSecret } = merchantOf(answer);
    expect(answer.status).toBe(201);
    expect(answer.headers["location"]).toBe(`/operator/merchants/${merchantId}`);
    expect(answer.body).toEqual({ merchantId, name: "Zoë's shop", apiKey, livemode: true, apiSecret });
    expect(await signsIn(merchantOf(answer))).toBe(true);
    expectCommonHeaders(answer);
  });

  test("keeps the plan as it was given, and shows the secret to nobody again", async () => {
    const merchant = await gateway.createMerchant({ name: "A shop", commission: COMMISSION });
    const answer = await get(`/${merchant.merchantId}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      merchantId: merchant.merchantId,
      name: "A shop",
      status: "ACTIVE",
      commission: COMMISSION,
      version: 1,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      credentials: [
        { apiKey: merchant.apiKey, livemode: true, createdAt: expect.stringMatching(/Z$/), issuedBy: "olga" },
      ],
    });
    expect((await get("")).text).not.toContain(merchant.apiSecret);
  });

  test("leaves nothing in the database or the log that the secret could be had from", async () => {
    const merchant = await gateway.createMerchant();
    await eventually(() => expect(gateway.requestLines()).toHaveLength(1));
    expect(JSON.stringify(gateway.lines)).not.toContain(merchant.apiSecret);
    const rows = await withClient(gateway.database.urls.gateway.owner, async (client) => {
      return (await client.query("select credential::text, secret_hash from credential")).rows;
    });
    const dump = rows
      .map((row) => `${row.credential} ${(row.secret_hash as Buffer).toString("latin1")}`)
      .join();
    for (const form of [merchant.apiSecret, Buffer.from(merchant.apiSecret).toString("hex")]) {
      expect(dump).not.toContain(form);
    }
  });

  test("takes no field but those of the contract", async () => {
    const answer = await create({
      name: "A shop",
      merchantId: NOWHERE,
      status: "SUSPENDED",
      apiKey: "hk_mine",
      credentials: [],
    });
    expectProblem(answer, "validation_failed", { errors: expect.anything() });
    const errors = answer.body["errors"] as { field: string; code: string }[];
    expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual(
      ["merchantId", "status", "apiKey", "credentials"].map((name) => `${name} unknown_field`),
    );
  });

  test.each([
    ["no name", {}, ["name required"]],
    ["a blank name", { name: "  " }, ["name too_short"]],
    ["a line break in the name", { name: "A\r\nshop" }, ["name invalid_characters"]],
    [
      "a rate that is a number",
      { name: "A", commission: { ...COMMISSION, ratePercent: 2.5 } },
      ["commission.ratePercent invalid_type"],
    ],
    [
      "a rate of 100",
      { name: "A", commission: { ...COMMISSION, ratePercent: "100" } },
      ["commission.ratePercent invalid_format"],
    ],
    [
      "too fine a fixed part",
      { name: "A", commission: { ...COMMISSION, fixed: "0.255" } },
      ["commission.fixed too_many_decimals"],
    ],
    [
      "an unknown currency",
      { name: "A", commission: { ...COMMISSION, currency: "ABC" } },
      ["commission.currency invalid_currency"],
    ],
    [
      "several",
      { commission: {} },
      [
        "name required",
        "commission.ratePercent required",
        "commission.fixed required",
        "commission.currency required",
      ],
    ],
  ])("refuses %s", async (_case, body, faults) => {
    const answer = await create(body);
    const errors = answer.body["errors"] as { field: string; code: string }[];
    expectProblem(answer, "validation_failed", { errors });
    expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual(faults);
  });

  test("refuses what is not JSON, of another type, or too large", async () => {
    expectProblem(await create('{"name": "A", "name": "B"}'), "malformed_json", {
      detail: "A name appears twice in one object.",
    });
    expectProblem(await create("{}", { "content-type": "text/plain" }), "unsupported_media_type", {
      detail:
        "Send Content-Type: application/json once, with no parameter but charset=utf-8, and no Content-Encoding.",
    });
    expectProblem(await create({ name: "x".repeat(40_000) }), "payload_too_large");
  });
});

describe("the list", () => {
  test("is newest first, in pages that stay what they were when merchants are added", async () => {
    const { merchantId: oldest } = await gateway.createMerchant();
    const ids = [oldest];
    for (let count = 0; count < 4; count++) ids.unshift((await gateway.createMerchant()).merchantId);

    const first = await get("?limit=2");
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    await gateway.createMerchant();
    const second = await get(`?limit=2&cursor=${String(first.body["nextCursor"])}`);
    expect(idsOf(second)).toEqual(ids.slice(2, 4));
    const third = await get(`?limit=1&cursor=${String(second.body["nextCursor"])}`);
    expect(idsOf(third)).toEqual([oldest]);
  });

  test("ends without a cursor", async () => {
    let path = "?limit=3";
    const seen: string[] = [];
    for (;;) {
      const page = await get(path);
      seen.push(...idsOf(page));
      if (!("nextCursor" in page.body)) break;
      path = `?limit=3&cursor=${String(page.body["nextCursor"])}`;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(idsOf(await get("?limit=200"))).toEqual(seen);
  });

  test.each([
    ["limit=0", "limit", "invalid_format"],
    ["limit=201", "limit", "invalid_format"],
    ["limit=x", "limit", "invalid_format"],
    ["limit=1&limit=2", "limit", "invalid_type"],
    ["cursor=x", "cursor", "invalid_cursor"],
    [`cursor=${"A".repeat(23)}`, "cursor", "invalid_cursor"],
    [`cursor=${"A".repeat(21)}B`, "cursor", "invalid_cursor"],
    ["cursor=%00", "cursor", "invalid_cursor"],
    ["cursor=", "cursor", "invalid_cursor"],
    [`cursor=${"A".repeat(300)}`, "cursor", "too_big"],
  ])("refuses %s", async (query, field, code) => {
    const answer = await get(`?${query}`);
    const errors = answer.body["errors"] as Record<string, string>[];
    expectProblem(answer, "validation_failed", { errors });
    expect(errors).toMatchObject([{ field, code }]);
  });

  function idsOf({ body }: HttpAnswer): string[] {
    return (body["items"] as { merchantId: string }[]).map(({ merchantId }) => merchantId);
  }
});
