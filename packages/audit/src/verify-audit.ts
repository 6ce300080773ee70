/**
 * `npm run verify-audit`: recomputes the audit chain of each service's schema, prints its head, and exits 1 if one is
 * broken or cannot be found. Keep the heads somewhere else and pass them as anchors: a chain that was cut or rewritten
 * is consistent in itself, and only an anchor reveals it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Kysely, PostgresDialect, sql } from "kysely";
import { Pool } from "pg";
import { verifyAuditChain, type AuditAnchor, type AuditVerdict } from "./audit-chain.ts";
import { readAuditEntries, type AuditDatabase } from "./audit-log.ts";

const HELP = `npm run verify-audit -- [--database-url URL | --home DIR] [--anchor SCHEMA:SEQUENCE:HASH ...]

  --database-url URL   connects as a role that may read the audit tables (default: $AUDIT_DATABASE_URL)
  --home DIR           uses the database of the sandbox in DIR (default: .holdfast)
  --anchor             requires the chain to contain a head that was printed earlier
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "database-url": { type: "string" },
      home: { type: "string", default: ".holdfast" },
      anchor: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const anchors = new Map(values.anchor.map(parseAnchor));
  const connectionString =
    values["database-url"] ?? process.env["AUDIT_DATABASE_URL"] ?? sandboxDatabaseUrl(values.home);
  const pool = new Pool({ connectionString, max: 1 });
  const db = new Kysely<AuditDatabase>({ dialect: new PostgresDialect({ pool }) });
  try {
    let broken = 0;
    const found = await auditedSchemas(db);
    const schemas = new Set([...AUDITED_SCHEMAS, ...found, ...anchors.keys()]);
    for (const schema of schemas) {
      if (!found.includes(schema)) {
        process.stdout.write(`${schema}: BROKEN, this role can read no audit table\n`);
        broken++;
        continue;
      }
      const verdict = await verifyAuditChain(readAuditEntries(db, schema), anchors.get(schema));
      process.stdout.write(`${describe(schema, verdict)}\n`);
      if (!verdict.intact) broken++;
    }
    process.stdout.write(`${schemas.size - broken} intact, ${broken} broken\n`);
    return broken === 0 ? 0 : 1;
  } finally {
    await db.destroy();
  }
}

/** The list is fixed: a table that was dropped must be reported, not passed over. */
const AUDITED_SCHEMAS = ["gateway", "payments", "refunds", "webhooks"];

function describe(schema: string, verdict: AuditVerdict): string {
  if (!verdict.intact) return `${schema}: BROKEN at entry ${verdict.sequence} (${verdict.fault})`;
  return `${schema}: intact, ${verdict.entries} entries, head ${schema}:${verdict.entries}:${verdict.head.toString("hex")}`;
}

function parseAnchor(text: string): [string, AuditAnchor] {
  const [, schema, sequence, hash] = /^(\w+):(\d+):([\da-f]{64})$/.exec(text) ?? [];
  if (schema === undefined || sequence === undefined || hash === undefined) {
    throw new Error(`--anchor must be SCHEMA:SEQUENCE:HASH, not ${text}`);
  }
  return [schema, { sequence: BigInt(sequence), hash: Buffer.from(hash, "hex") }];
}

function sandboxDatabaseUrl(home: string): string {
  const file = join(home, "sandbox.json");
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { databaseUrl: string }).databaseUrl;
  } catch (cause) {
    throw new Error(`no sandbox is running in ${home}: give --database-url or --home`, { cause });
  }
}

async function auditedSchemas(db: Kysely<AuditDatabase>): Promise<string[]> {
  const { rows } = await sql<{ table_schema: string }>`
    select table_schema from information_schema.tables where table_name = 'audit_entry' order by 1`.execute(
    db,
  );
  return rows.map(({ table_schema }) => table_schema);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`verify-audit: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
