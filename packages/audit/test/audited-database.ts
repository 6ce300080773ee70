import { auditedSchemas, type SchemaName } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase, type TestDatabase } from "@holdfast/tests/support";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { onTestFinished } from "vitest";
import { appendAudit, type AuditDatabase } from "../src/audit-log.ts";

/** A database in which each service has written two entries, until the end of the test. */
export async function auditedDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  for (const schema of auditedSchemas) {
    await withLog(database, schema, async (db) => {
      await append(db, "alice", "thing.done", schema);
      await append(db, "bora", "thing.undone", schema);
    });
  }
  return database;
}

/** Appends an entry as the service does. */
export async function append(
  db: Kysely<AuditDatabase>,
  actor: string,
  action = "thing.done",
  subject = "thing",
): Promise<void> {
  await db.transaction().execute((trx) => appendAudit(trx, { actor, action, subject, detail: {} }));
}

/** The URL of the role that writes the log. */
function writerUrl({ urls }: TestDatabase, schema: SchemaName): string {
  return schema === "gateway" ? urls.gateway.operator : urls[schema].app;
}

/** Runs `work` as one of a schema's roles. */
export async function withLog<Result>(
  database: TestDatabase,
  schema: SchemaName,
  work: (db: Kysely<AuditDatabase>) => Promise<Result>,
  role: "writer" | "owner" = "writer",
): Promise<Result> {
  const pool = new Pool({
    connectionString: role === "owner" ? database.urls[schema].owner : writerUrl(database, schema),
  });
  const db = new Kysely<AuditDatabase>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
