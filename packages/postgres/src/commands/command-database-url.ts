import { readFileSync } from "node:fs";
import { join } from "node:path";
import { databaseUrlOf } from "./database-url-of.ts";

/**
 * The database of a service's command that a person runs, as the schema's owner. It comes from
 * `--database-url`, from MIGRATION_DATABASE_URL, or from the sandbox in `--home`.
 * @throws ConfigError, see `databaseUrlOf`; an Error if no sandbox is running there.
 */
export function ownersDatabaseUrl(
  { "database-url": url, home }: { "database-url"?: string | undefined; home: string },
  env: NodeJS.ProcessEnv,
): string {
  if (url !== undefined) return databaseUrlOf("--database-url", url, env);
  const set = env["MIGRATION_DATABASE_URL"];
  return set === undefined
    ? sandboxDatabaseUrl(home, "give --database-url or --home")
    : databaseUrlOf("MIGRATION_DATABASE_URL", set, env);
}

/**
 * @param remedy the other ways to name a database.
 * @throws if no sandbox is running in that directory.
 */
export function sandboxDatabaseUrl(home: string, remedy: string): string {
  const file = join(home, "sandbox.json");
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { databaseUrl: string }).databaseUrl;
  } catch (cause) {
    throw new Error(`no sandbox is running in ${home}: ${remedy}`, { cause });
  }
}
