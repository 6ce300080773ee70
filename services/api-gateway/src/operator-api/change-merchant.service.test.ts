import { readAuditEntries, verifyAuditChain, type AuditDatabase } from "@holdfast/audit";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpAnswer } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";

const NOWHERE = "0199aaaa-0000-7000-8000-000000000001";
const PLAN = { ratePercent: "2.50", fixed: "0.25", currency: "TRY" };

let gateway: TestGateway;
let db: Kysely<AuditDatabase>;
beforeAll(async () => {
  gateway = await startTestGateway({ CREDENTIAL_CACHE_TTL: "10s" });
  const pool = new Pool({ connectionString: gateway.database.urls.gateway.owner });
  db = new Kysely({ dialect: new PostgresDialect({ pool }) });
});
afterAll(async () => {
  await db.destroy();
  await gateway.stop();
});

function change(merchantId: string, body: unknown): Promise<HttpAnswer> {
  const path = `/operator/merchants/${merchantId}`;
  return gateway.operatorApi({ method: "PATCH", path, body: JSON.stringify(body) });
}

async function read(merchantId: string): Promise<Record<string, unknown>> {
  return (await gateway.operatorApi({ path: `/operator/merchants/${merchantId}` })).body;
}

/** True if a merchant's call gets past the sign-in. */
async function signsIn({ headers }: TestMerchant): Promise<boolean> {
  return (await gateway.merchantApi({ path: "/api/nowhere", headers })).status === 404;
}

/** The log's entries about a merchant, oldest first, without its creation. */
async function audited(merchantId: string) {
  const entries = [];
  for await (const entry of readAuditEntries(db, "gateway")) {
    if (entry.subject === merchantId && entry.action !== "merchant.created") entries.push(entry);
  }
  return entries.map(({ actor, action, detail }) => {
    const { requestId, ...rest } = JSON.parse(detail) as Record<string, unknown>;
    return { actor, action, requestId, ...rest };
  });
}

describe("a change", () => {
  test("of name and plan is answered, kept, and written down with what it was before", async () => {
    const { merchantId } = await gateway.createMerchant({ name: "A shop" });
    const answer = await change(merchantId, { name: "Another shop", commission: PLAN });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      merchantId,
      name: "Another shop",
      status: "ACTIVE",
      commission: PLAN,
    });
    expect(await read(merchantId)).toEqual(answer.body);
    expect(await audited(merchantId)).toEqual([
      {
        actor: "olga",
        action: "merchant.changed",
        requestId: answer.headers["x-request-id"],
        changes: { name: { from: "A shop", to: "Another shop" }, commission: { from: null, to: PLAN } },
      },
    ]);
  });

  test("leaves what is not named as it is, and null takes the plan away", async () => {
    const { merchantId } = await gateway.createMerchant({ name: "A shop", commission: PLAN });
    expect((await change(merchantId, { name: "B shop" })).body).toMatchObject({ commission: PLAN });
    expect((await change(merchantId, { commission: null })).body).not.toHaveProperty("commission");
    expect(await read(merchantId)).toMatchObject({ name: "B shop", status: "ACTIVE" });
  });

  test("sets rules of the commission and rules of the merchant, and takes each away alone", async () => {
    const { merchantId } = await gateway.createMerchant({ name: "A shop" });
    const commission = { ...PLAN, rules: [{ domInt: "INT", ratePercent: "4.10", fixed: "1.50" }] };
    const rules = { attemptsPerCard: { max: 5, windowSeconds: 3_600 } };
    expect((await change(merchantId, { commission, rules })).body).toMatchObject({ commission, rules });
    expect((await change(merchantId, { commission, rules })).status).toBe(200);
    const withoutRules = (await change(merchantId, { rules: null })).body;
    expect(withoutRules).toMatchObject({ commission });
    expect(withoutRules).not.toHaveProperty("rules");
    expect((await change(merchantId, { commission: null })).body).not.toHaveProperty("commission");
    expect(await audited(merchantId)).toMatchObject([
      { changes: { commission: { from: null, to: commission }, rules: { from: null, to: rules } } },
      { changes: { rules: { from: rules, to: null } } },
      { changes: { commission: { from: commission, to: null } } },
    ]);
  });

  test("to what it is already is written down nowhere", async () => {
    const { merchantId } = await gateway.createMerchant({ name: "A shop", commission: PLAN });
    expect((await change(merchantId, { name: "A shop", status: "ACTIVE", commission: PLAN })).status).toBe(
      200,
    );
    expect(await audited(merchantId)).toEqual([]);
  });

  test("acts on the merchant's calls at once: suspended they are 401, resumed they go on", async () => {
    const merchant = await gateway.createMerchant();
    expect(await signsIn(merchant)).toBe(true);
    expect((await change(merchant.merchantId, { status: "SUSPENDED" })).body).toMatchObject({
      status: "SUSPENDED",
    });
    await eventually(async () => expect(await signsIn(merchant)).toBe(false));
    await change(merchant.merchantId, { status: "ACTIVE" });
    await eventually(async () => expect(await signsIn(merchant)).toBe(true));
    expect((await audited(merchant.merchantId)).map(({ action }) => action)).toEqual([
      "merchant.suspended",
      "merchant.resumed",
    ]);
  });

  test("of one merchant is none of another's", async () => {
    const [mine, other] = [await gateway.createMerchant(), await gateway.createMerchant()];
    const before = await read(other.merchantId);
    await change(mine.merchantId, { name: "Mine", status: "SUSPENDED", commission: PLAN });
    expect(await read(other.merchantId)).toEqual(before);
    expect(await signsIn(other)).toBe(true);
  });

  test("that cannot be written down does not happen", async () => {
    const merchant = await gateway.createMerchant({ name: "A shop" });
    const asOwner = (sql: string) =>
      withClient(gateway.database.urls.gateway.owner, async (client) => void (await client.query(sql)));
    await asOwner("revoke insert on audit_entry from gateway_operator");
    const calls = [
      change(merchant.merchantId, { name: "B", status: "SUSPENDED" }),
      gateway.operatorApi({
        method: "DELETE",
        path: `/operator/merchants/${merchant.merchantId}/credentials/${merchant.apiKey}`,
      }),
      gateway.operatorApi({
        method: "POST",
        path: `/operator/merchants/${merchant.merchantId}/credentials`,
      }),
      gateway.operatorApi({ method: "POST", path: "/operator/merchants", body: '{"name": "New"}' }),
    ];
    for (const answer of await Promise.all(calls)) expectProblem(answer, "internal_error");
    await asOwner("grant insert on audit_entry to gateway_operator");
    expect(await read(merchant.merchantId)).toMatchObject({
      name: "A shop",
      status: "ACTIVE",
      credentials: [{ apiKey: merchant.apiKey }],
    });
    expect((await gateway.operatorApi({ path: "/operator/merchants?limit=200" })).text).not.toContain("New");
    expect(await verifyAuditChain(readAuditEntries(db, "gateway"))).toMatchObject({ intact: true });
  });
});

test("branding is shown by a look-up, kept by other changes, recorded, left out of lists, and removed by null", async () => {
  const { merchantId } = await gateway.createMerchant();
  const logo = '<svg viewBox="0 0 24 24"><path d="M4 4h16v16H4z"/></svg>';
  const branding = { name: "Ada's Lamps", color: "#7a1f5c", logo };
  expect(await change(merchantId, { branding })).toMatchObject({ status: 200, body: { branding } });
  await change(merchantId, { name: "Lamps Ltd" });
  const path = `/operator/merchants/${merchantId}`;
  expect((await gateway.operatorApi({ path })).body).toMatchObject({ name: "Lamps Ltd", branding });
  const { items } = (await gateway.operatorApi({ path: "/operator/merchants?limit=200" })).body as {
    items: { merchantId: string; branding?: object }[];
  };
  expect(items.find((item) => item.merchantId === merchantId)).not.toHaveProperty("branding");
  expect((await change(merchantId, { branding: null })).body).not.toHaveProperty("branding");
  expect(await audited(merchantId)).toMatchObject([
    { changes: { branding: { from: null, to: branding } } },
    { changes: { name: { to: "Lamps Ltd" } } },
    { changes: { branding: { from: branding, to: null } } },
  ]);
});

test("a change that was made from an older version is refused, so that nobody overwrites another's unseen", async () => {
  const { merchantId } = await gateway.createMerchant({ name: "A shop" });
  expect(await read(merchantId)).toMatchObject({ version: 1 });
  const first = await change(merchantId, { version: 1, commission: PLAN });
  expect(first.body).toMatchObject({ version: 2, commission: PLAN });
  expectProblem(await change(merchantId, { version: 1, commission: null }), "changed_since_read");
  expectProblem(await change(merchantId, { version: 3, name: "B shop" }), "changed_since_read");
  expectProblem(await change(NOWHERE, { version: 1, name: "B shop" }), "merchant_not_found");
  // A change to the present values is no change.
  expect((await change(merchantId, { version: 2, name: "A shop" })).body).toMatchObject({ version: 2 });
  const together = await Promise.all(
    ["B shop", "C shop"].map((name) => change(merchantId, { version: 2, name })),
  );
  expect(together.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect((await change(merchantId, { name: "D shop" })).body).toMatchObject({ version: 4, commission: PLAN });
  expect(await read(merchantId)).toMatchObject({ name: "D shop", version: 4 });
});

test.each([
  ["nothing", {}, ["body nothing_to_change"]],
  [
    "no field of the contract",
    { merchantId: NOWHERE, createdAt: "x" },
    ["merchantId unknown_field", "createdAt unknown_field", "body nothing_to_change"],
  ],
  ["an unknown status", { status: "CLOSED" }, ["status invalid_value"]],
  [
    "a colour that white cannot be read on",
    { branding: { color: "#ff0000" } },
    ["branding.color low_contrast"],
  ],
  ["a colour that is a name", { branding: { color: "red" } }, ["branding.color invalid_format"]],
  [
    "a logo that runs, and a name without a letter",
    { branding: { name: " ", logo: '<svg viewBox="0 0 1 1"><script/></svg>' } },
    ["branding.name too_short", "branding.logo invalid_logo"],
  ],
  ["a logo that is too long", { branding: { logo: "x".repeat(8_193) } }, ["branding.logo too_big"]],
  ["a version and nothing else", { version: 1 }, ["body nothing_to_change"]],
  ["no version that there could be", { version: 0, name: "B" }, ["version too_small"]],
  ["no name", { name: null }, ["name invalid_type"]],
  ["a blank name", { name: " " }, ["name too_short"]],
  [
    "half a plan",
    { commission: { ratePercent: "1" } },
    ["commission.fixed required", "commission.currency required"],
  ],
])("a change of %s is refused", async (_case, body, faults) => {
  const { merchantId } = await gateway.createMerchant();
  const answer = await change(merchantId, body);
  const errors = answer.body["errors"] as { field: string; code: string }[];
  expectProblem(answer, "validation_failed", { errors });
  expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual(faults);
});

test.each([NOWHERE, "x", "%00"])("there is no merchant %s to change", async (id) => {
  expectProblem(await change(id, { name: "B" }), "merchant_not_found");
});
