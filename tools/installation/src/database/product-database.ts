import type { AuditDatabase } from "@holdfast/audit";
import { createDatabase, databaseUrlOf, sandboxDatabaseUrl } from "@holdfast/postgres";
import type { Kysely } from "kysely";
import { Pool } from "pg";

/** The options of a command that name its database. */
type Named = { "database-url"?: string | undefined; home: string };

/**
 * Works on the product's database, for a command that people run. The database comes from `--database-url`,
 * or from `DATABASE_ADMIN_URL` with `DATABASE_NAME`, or from the sandbox in `--home`.
 * @throws if none of them names a database, or it cannot be reached.
 */
export async function withProductDatabase<Result>(
  named: Named,
  env: NodeJS.ProcessEnv,
  settings: Session,
  work: (db: Kysely<AuditDatabase>) => Promise<Result>,
): Promise<Result> {
  return await withDatabaseAt(productDatabaseUrl(named, env), settings, work);
}

/** The command's name at the server, and settings of its session. */
type Session = { application_name: string; options?: string };

/** Works on the database at a URL. */
export async function withDatabaseAt<DB, Result>(
  connectionString: string,
  settings: Session,
  work: (db: Kysely<DB>) => Promise<Result>,
): Promise<Result> {
  const pool = new Pool({ connectionString, max: 1, ...settings });
  // The next query reports a lost connection; without a listener the event would end the process.
  pool.on("error", () => undefined);
  await using db = createDatabase<DB>(pool);
  return await work(db);
}

/** The URL itself, for commands that need one. */
export function productDatabaseUrl({ "database-url": url, home }: Named, env: NodeJS.ProcessEnv): string {
  if (url !== undefined) return databaseUrlOf("--database-url", url, env);
  const admin = env["DATABASE_ADMIN_URL"];
  if (admin === undefined) return sandboxDatabaseUrl(home, "give --database-url or --home");
  const ofProduct = new URL(databaseUrlOf("DATABASE_ADMIN_URL", admin, env));
  ofProduct.pathname = `/${env["DATABASE_NAME"] || "holdfast"}`;
  return ofProduct.href;
}
