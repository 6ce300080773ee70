import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Kysely, PostgresDialect, sql } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import { Client, Pool } from "pg";
import { refuseForeignSchema } from "../foreign-schema.ts";

/**
 * Brings a service's schema up to date with its plain SQL files, in the order of their names, each once and
 * in its own transaction; concurrent runs wait for each other. It runs as the schema's owner, and the files
 * grant rights to the service's runtime role. A migration that waits long for a lock fails and can be tried
 * again.
 *
 * @returns the files that it ran.
 * @throws ForeignSchemaError if other migrations made the schema; nothing is changed then.
 */
export async function migrate(databaseUrl: string, schema: string, directory: string): Promise<string[]> {
  const migrations = await readMigrations(directory);
  await refuseForeign(databaseUrl, schema, Object.keys(migrations));
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  await using db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableSchema: schema,
    migrationTableName: "migration",
    migrationLockTableName: "migration_lock",
  });
  const ran: string[] = [];
  // One at a time: all that `migrateToLatest` runs is one transaction, which keeps the locks of the first to the end of the last.
  for (;;) {
    const { error, results = [] } = await migrator.migrateUp();
    if (error) throw error;
    if (results.length === 0) return ran;
    ran.push(...results.map(({ migrationName }) => migrationName));
  }
}

async function refuseForeign(databaseUrl: string, schema: string, files: string[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await refuseForeignSchema(client, schema, files);
  } finally {
    await client.end();
  }
}

async function readMigrations(directory: string): Promise<Record<string, Migration>> {
  const files = (await readdir(directory)).filter((name) => name.endsWith(".sql")).sort();
  const migrations = files.map(async (file) => {
    const text = await readFile(join(directory, file), "utf8");
    const migration: Migration = {
      async up(db) {
        await sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`).execute(db);
        await sql.raw(text).execute(db);
      },
    };
    // The record names the file: a record in another form is no migration of this line.
    return [file, migration] as const;
  });
  return Object.fromEntries(await Promise.all(migrations));
}

/** All statements on a table queue behind a migration that waits for its lock, so it gives up soon. A file may say otherwise. */
const LOCK_TIMEOUT = "3s";
