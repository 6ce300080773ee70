import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditDatabase } from "@holdfast/audit";
import { createDatabase, databaseUrlOf } from "@holdfast/postgres";
import type { Kysely } from "kysely";
import { Pool } from "pg";

/** The options of a command that name its database. */
type Named = { "database-url"?: string | undefined; home: string };

/**
 * Works on the product's database, for a command that people run: the one of `--database-url`, else of
 * `DATABASE_ADMIN_URL` with `DATABASE_NAME`, else the sandbox's in `--home`.
 *
 * @param settings the command's name at the server, and settings of its session
 * @throws where none of them names one, or it cannot be reached.
 */
export async function withProductDatabase<Result>(
  named: Named,
  env: NodeJS.ProcessEnv,
  settings: { application_name: string; options?: string },
  work: (db: Kysely<AuditDatabase>) => Promise<Result>,
): Promise<Result> {
  const pool = new Pool({ connectionString: productDatabaseUrl(named, env), max: 1, ...settings });
  // The next query reports a lost connection; without a listener the event would end the process.
  pool.on("error", () => undefined);
  const db = createDatabase<AuditDatabase>(pool);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** The URL itself, for what needs one. */
export function productDatabaseUrl({ "database-url": url, home }: Named, env: NodeJS.ProcessEnv): string {
  if (url !== undefined) return databaseUrlOf("--database-url", url, env);
  const admin = env["DATABASE_ADMIN_URL"];
  if (admin === undefined) return sandboxDatabaseUrl(home);
  const ofProduct = new URL(databaseUrlOf("DATABASE_ADMIN_URL", admin, env));
  ofProduct.pathname = `/${env["DATABASE_NAME"] || "holdfast"}`;
  return ofProduct.href;
}

function sandboxDatabaseUrl(home: string): string {
  const file = join(home, "sandbox.json");
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { databaseUrl: string }).databaseUrl;
  } catch (cause) {
    throw new Error(`no sandbox is running in ${home}: give --database-url or --home`, { cause });
  }
}
