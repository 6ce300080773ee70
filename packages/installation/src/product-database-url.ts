import { readFileSync } from "node:fs";
import { join } from "node:path";
import { databaseUrlOf } from "@holdfast/service-runtime";

/**
 * The product's database for a command that people run: `--database-url`, else `DATABASE_ADMIN_URL` with `DATABASE_NAME`,
 * else the sandbox in `--home`.
 *
 * @throws where none of them names one.
 */
export function productDatabaseUrl(
  { "database-url": url, home }: { "database-url"?: string | undefined; home: string },
  env: NodeJS.ProcessEnv,
): string {
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
