import { randomUUID } from "node:crypto";
import { appendAudit, type AuditDatabase } from "@holdfast/audit";
import { createDatabase } from "@holdfast/postgres";
import { createTestDatabase, type TestDatabase } from "@holdfast/tests/support";
import { sql, type Kysely } from "kysely";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditedSchemas, schemaNames } from "../database/provision-database.ts";
import { readAccess } from "./read-access.ts";
import { readAuditSamples } from "./read-log-samples.ts";
import { scanDatabase } from "./scan-database.ts";

let database: TestDatabase;
let db: Kysely<unknown>;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase<unknown>(new Pool({ connectionString: database.superuserUrl, max: 1 }));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

test("each login is shown with its password's form, and each API key with its mode, age and last use", async () => {
  const merchantId = randomUUID();
  await sql`
    insert into gateway.merchant (merchant_id, name) values (${merchantId}, 'A shop')`.execute(db);
  await sql`
    insert into gateway.credential (api_key, merchant_id, secret_hash, pepper_id, issued_by, created_at, last_used_on)
    values (${`hk_live_${"a".repeat(24)}`}, ${merchantId}, ${Buffer.alloc(32)}, 'p1', 'olga', now() - interval '200 days',
        current_date - 100),
      (${`hk_test_${"b".repeat(24)}`}, ${merchantId}, ${Buffer.alloc(32)}, 'p1', 'olga', now(), null)`.execute(
    db,
  );
  const { credentials, databaseRoles, busUsers } = await readAccess(db, schemaNames);
  expect(credentials).toMatchObject({ live: 2, test: 1, unused: 1, revoked: 0 });
  expect(credentials.list).toMatchObject([
    { merchantId, mode: "live", ends: null, lastUsed: expect.any(String), addresses: null },
    { merchantId, mode: "test", lastUsed: null },
  ]);
  expect(databaseRoles).toContainEqual(
    expect.objectContaining({ role: "payments_app", canLogIn: true, password: "SCRAM-SHA-256" }),
  );
  expect(Object.keys(busUsers)).toContain("refunds");
});

test("the audit logs are shown by their actions and newest line", async () => {
  const audited = db.withTables<AuditDatabase>();
  await audited.transaction().execute(async (trx) => {
    await sql`set local search_path = payments`.execute(trx);
    for (const subject of ["one", "two"])
      await appendAudit(trx, { actor: "olga", action: "access.refused", subject, detail: { role: "admin" } });
  });
  const samples = await readAuditSamples(db, auditedSchemas);
  expect(samples.map(({ log }) => log)).toEqual([...auditedSchemas]);
  expect(samples.find(({ log }) => log === "payments")).toMatchObject({
    actions: { "access.refused": 2 },
    newest: { sequence: "2", actor: "olga", subject: "two", detail: '{"role":"admin"}' },
  });
});

test("every table of the product is searched, but for those whose columns no text goes into", async () => {
  const { tables, withoutTexts } = await scanDatabase(db, { schemas: schemaNames, untilMs: Infinity });
  const { rows } = await sql<{ name: string }>`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname = any(${[...schemaNames]}) order by 1`.execute(db);
  expect([...tables.map(({ table }) => table), ...withoutTexts].toSorted()).toEqual(
    rows.map(({ name }) => name).toSorted(),
  );
  expect(withoutTexts).toEqual([
    "payments.acquirer_call_slot",
    "payments.checkout_payment",
    "payments.rule_attempt",
    "webhooks.endpoint_health",
  ]);
});
