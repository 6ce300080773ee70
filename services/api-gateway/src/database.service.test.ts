import { withClient } from "@holdfast/sandbox/infrastructure";
import { columnsOf, createTestDatabase, type TestDatabase } from "@holdfast/tests/support";
import { beforeAll, describe, expect, test } from "vitest";
import type { GatewayDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => void (database = await createTestDatabase()));

/** The only listener that writes. */
function asOperatorListener(sql: string): Promise<unknown[]> {
  return withClient(database.urls.gateway.operator, async (client) => (await client.query(sql)).rows);
}

const MERCHANT = "insert into merchant (name) values ('A shop') returning merchant_id";

describe("the role of the operators' listener", () => {
  test.each([
    "update merchant set merchant_id = merchant_id",
    "update merchant set created_at = now()",
    "update audit_entry set actor = 'nobody'",
    "delete from audit_entry",
    "delete from merchant",
    "truncate merchant cascade",
    "insert into merchant (name, status) values ('A', 'ACTIVE')",
    "insert into merchant (merchant_id, name) values (uuidv7(), 'A')",
    "update credential set secret_hash = secret_hash",
    "update credential set merchant_id = merchant_id",
    "delete from credential",
    "update operator_key set fingerprint = fingerprint",
    "drop table credential",
    "alter table merchant add column x text",
    "create table more (x text)",
    "select from payments.payment",
  ])("may not %s", async (sql) => {
    await expect(asOperatorListener(sql)).rejects.toMatchObject({ code: "42501" });
  });

  test.each([
    "update merchant set name = 'A', status = 'SUSPENDED'",
    "update merchant set commission_rate_percent = 1, commission_fixed = 0, commission_currency = 'TRY'",
    "update credential set revoked_at = now()",
  ])("may %s", async (sql) => {
    await expect(asOperatorListener(sql)).resolves.toEqual([]);
  });
});

describe("the tables refuse", () => {
  const hmac = "decode(repeat('00', 32), 'hex')";
  const key = `'hk_${"A".repeat(24)}'`;
  test.each([
    ["a merchant without a name", "insert into merchant (name) values ('')"],
    ["half a plan", "insert into merchant (name, commission_rate_percent) values ('A', 1)"],
    [
      "a rate of 100",
      "insert into merchant (name, commission_rate_percent, commission_fixed, commission_currency) values ('A', 100, 0, 'TRY')",
    ],
    [
      "a negative rate",
      "insert into merchant (name, commission_rate_percent, commission_fixed, commission_currency) values ('A', -1, 0, 'TRY')",
    ],
    ["prices without a plan", "insert into merchant (name, commission_rules) values ('A', '[]')"],
    ["rules that are no object", "insert into merchant (name, rules) values ('A', '[]')"],
    [
      "a log level for more than an hour",
      "insert into log_level (service, level, ends_at, changed_by) values ('payments', 'debug', now() + interval '61 minutes', 'olga')",
    ],
    [
      "a log level that silences",
      "insert into log_level (service, level, ends_at, changed_by) values ('payments', 'error', now(), 'olga')",
    ],
    [
      "a short hash",
      `with m as (${MERCHANT}) insert into credential (api_key, merchant_id, secret_hash, pepper_id, issued_by) select ${key}, merchant_id, '\\x00', 'p', 'olga' from m`,
    ],
    [
      "a short key",
      `with m as (${MERCHANT}) insert into credential (api_key, merchant_id, secret_hash, pepper_id, issued_by) select 'hk_', merchant_id, ${hmac}, 'p', 'olga' from m`,
    ],
    [
      "a hash of no pepper",
      `with m as (${MERCHANT}) insert into credential (api_key, merchant_id, secret_hash, pepper_id, issued_by) select ${key}, merchant_id, ${hmac}, '', 'olga' from m`,
    ],
  ])("%s", async (_case, sql) => {
    await expect(asOperatorListener(sql)).rejects.toMatchObject({ code: "23514" });
  });

  test("a credential of nobody", async () => {
    const sql = `insert into credential (api_key, merchant_id, secret_hash, pepper_id, issued_by) values (${key}, uuidv7(), ${hmac}, 'p', 'olga')`;
    await expect(asOperatorListener(sql)).rejects.toMatchObject({ code: "23503" });
  });
});

/** Every column as the types have it; the compiler keeps this list and the types the same. */
const COLUMNS: {
  [Table in keyof GatewayDatabase]: Record<keyof GatewayDatabase[Table], "null" | "not null">;
} = {
  merchant: {
    merchant_id: "not null",
    name: "not null",
    status: "not null",
    commission_rate_percent: "null",
    commission_fixed: "null",
    commission_currency: "null",
    commission_rules: "null",
    commission_may_exceed_amount: "not null",
    refunds_commission: "not null",
    rules: "null",
    branding: "null",
    version: "not null",
    created_at: "not null",
  },
  credential: {
    api_key: "not null",
    merchant_id: "not null",
    secret_hash: "not null",
    pepper_id: "not null",
    created_at: "not null",
    revoked_at: "null",
    issued_by: "not null",
    expires_at: "null",
    addresses: "null",
    last_used_on: "null",
  },
  refused_operator: {
    person: "not null",
    reason: "not null",
    refused_by: "not null",
    refused_at: "not null",
  },
  operator_key: {
    subject: "not null",
    scope: "not null",
    key: "not null",
    fingerprint: "not null",
    resource_id: "not null",
    lease_id: "not null",
    leased_until: "not null",
    answer: "null",
    created_at: "not null",
  },
  staff_key: {
    subject: "not null",
    scope: "not null",
    key: "not null",
    fingerprint: "not null",
    resource_id: "not null",
    lease_id: "not null",
    leased_until: "not null",
    answer: "null",
    created_at: "not null",
  },
  log_level: {
    service: "not null",
    level: "not null",
    ends_at: "not null",
    changed_by: "not null",
    changed_at: "not null",
  },
  audit_entry: {
    sequence: "not null",
    at: "not null",
    actor: "not null",
    action: "not null",
    subject: "not null",
    detail: "not null",
    hash: "not null",
  },
};

test("the tables' types are what the migrations make", async () => {
  expect(await columnsOf(database, "gateway")).toEqual(COLUMNS);
});
