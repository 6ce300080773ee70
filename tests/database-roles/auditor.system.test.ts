import { spawn } from "node:child_process";
import { once } from "node:events";
import { AUDITOR, auditedSchemas, withClient } from "@holdfast/sandbox/infrastructure";
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/index.ts";
import { holdfast } from "../support/holdfast.ts";

async function setUp(): Promise<{ database: TestDatabase; url: string }> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const url = new URL(database.superuserUrl);
  url.username = AUDITOR;
  url.password = AUDITOR;
  return { database, url: url.href };
}

const query = <Row>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query(sql, values)).rows as Row[]);

test("the auditor has one privilege on each of the five tables, and none on anything else", async () => {
  const { database } = await setUp();
  const has = await query<{ what: string }>(
    database.superuserUrl,
    `with relation as (
       select c.oid, n.nspname || '.' || c.relname as name, c.relkind from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       where n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_'
     )
     select privilege || ' on ' || name as what from relation,
       unnest(array['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) as privilege
       where relkind in ('r', 'p', 'v', 'm', 'f') and has_any_column_privilege($1, oid, privilege)
     union all select privilege || ' on ' || name from relation,
       unnest(array['DELETE', 'TRUNCATE', 'TRIGGER', 'MAINTAIN']) as privilege
       where relkind in ('r', 'p', 'v', 'm', 'f') and has_table_privilege($1, oid, privilege)
     union all select privilege || ' on ' || name from relation, unnest(array['SELECT', 'USAGE', 'UPDATE']) as privilege
       where relkind = 'S' and has_sequence_privilege($1, oid, privilege)
     union all select privilege || ' on schema ' || nspname from pg_namespace, unnest(array['CREATE', 'USAGE']) as privilege
       where nspname !~ '^(pg_|information_schema)' and has_schema_privilege($1, oid, privilege)
     union all select 'EXECUTE on ' || nspname || '.' || proname from pg_proc join pg_namespace n on n.oid = pronamespace
       where nspname !~ '^(pg_|information_schema)' and has_function_privilege($1, pg_proc.oid, 'EXECUTE')
     union all select privilege || ' on database' from unnest(array['CREATE', 'TEMPORARY', 'CONNECT']) as privilege
       where has_database_privilege($1, current_database(), privilege)
     union all select 'member of ' || pg_get_userbyid(roleid) from pg_auth_members where member = $1::regrole
     order by 1`,
    [AUDITOR],
  );
  expect(has.map(({ what }) => what)).toEqual([
    "CONNECT on database",
    ...auditedSchemas.map((schema) => `SELECT on ${schema}.audit_entry`),
    ...auditedSchemas.map((schema) => `USAGE on schema ${schema}`),
  ]);
});

test("the auditor verifies the five chains, and is refused what it may not read or write", async () => {
  const { url } = await setUp();
  const [node = "", ...program] = await holdfast("verify-audit");
  const child = spawn(node, program, { env: { ...process.env, AUDIT_DATABASE_URL: url } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const [code] = (await once(child, "close")) as [number];
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toContain(` as ${AUDITOR}\n`);
  expect(output).toContain("5 intact, 0 broken");
  for (const statement of [
    "select 1 from payments.payment",
    "select 1 from gateway.credential",
    "insert into refunds.audit_entry default values",
    "create table gateway.mine (id int)",
  ]) {
    // The role cannot write even without the setting that makes its transactions read-only.
    await expect(query(url, `begin; set transaction read write; ${statement}; commit`)).rejects.toMatchObject(
      { code: "42501" },
    );
  }
});
