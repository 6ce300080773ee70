import { readFile } from "node:fs/promises";
import { schemaByService, withClient } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase, eventually, startTestSystem, type TestDatabase } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RETENTION, retentionMarkdown } from "./retention-markdown.ts";
import { configSchemas } from "./service-facts.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test("every table of every schema has a line that says how long it is kept, and every line a table", async () => {
  const { rows } = await withClient(database.superuserUrl, (client) =>
    client.query<{ name: string }>(`
      select distinct n.nspname || '.' || regexp_replace(c.relname, '_\\d{8}$', '') as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema)' and c.relname not like 'migration%'`),
  );
  const lines = Object.entries(RETENTION).flatMap(([schema, kept]) =>
    kept.map(({ table }) => `${schema}.${table}`),
  );
  expect([...new Set(lines)].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

const EACH = Object.entries(RETENTION).flatMap(([schema, lines]) =>
  lines.map((line) => ({ schema, ...line })),
);

test("a line names a setting that its service has, or a table of its schema", () => {
  const unknown = EACH.filter(({ schema, kept }) => {
    if (kept === "in use" || "years" in kept || "ms" in kept) return false;
    if ("with" in kept) return !RETENTION[schema]!.some(({ table }) => table === kept.with);
    const [service] = Object.entries(schemaByService).find(([, own]) => own === schema)!;
    return !(kept.setting in configSchemas[service as keyof typeof schemaByService]!.shape);
  });
  expect(unknown).toEqual([]);
});

test("what is kept for a time has a purge, but for what the dispatcher drops by day", () => {
  const kept = EACH.filter(({ kept, purge }) => {
    const isTimed = typeof kept === "object" && ("setting" in kept || "ms" in kept);
    return isTimed !== (purge !== undefined);
  });
  expect(new Set(kept.map(({ schema }) => schema))).toEqual(new Set(["webhooks"]));
});

test("services purge by their settings when they start", async () => {
  const system = await startTestSystem({
    services: ["payments", "refunds", "settlement"],
    running: [],
    env: { OUTBOX_RETENTION: "5d" },
  });
  onTestFinished(() => system.close());
  const record = (schema: string, status: string, age: string) =>
    system.query(`
      insert into ${schema}.outbox (event_id, event_type, payment_id, merchant_id, status, body, confirmed_at)
      values (uuidv7(-interval '${age}'), 'payment.status_changed', gen_random_uuid(), gen_random_uuid(), '${status}', '', now())`);
  for (const schema of ["payments", "refunds", "settlement"]) {
    await record(schema, "over", "6 days");
    await record(schema, "kept", "4 days");
  }
  await Promise.all([system.start("payments"), system.start("refunds"), system.start("settlement")]);
  await eventually(async () => {
    const rows = await system.query(
      `select status from payments.outbox union all select status from refunds.outbox
       union all select status from settlement.outbox`,
    );
    expect(rows).toEqual([{ status: "kept" }, { status: "kept" }, { status: "kept" }]);
  });
});

test("docs/retention.md is what the lists say; `npm run generate` writes it again", async () => {
  const committed = await readFile(new URL("../../docs/retention.md", import.meta.url), "utf8");
  expect(retentionMarkdown()).toBe(committed);
});
