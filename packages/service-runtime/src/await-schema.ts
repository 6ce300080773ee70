import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseError, escapeIdentifier, type Pool } from "pg";
import type { Logger } from "./logger.ts";

/** The schema was not what this version needs within the time that a start has. */
export class SchemaBehindError extends Error {
  override name = "SchemaBehindError";
  readonly code = "schema_behind";
}

/**
 * Waits until every migration of this version has run: whoever starts installation, migrations and services together needs
 * no order (ADR 0145). It only looks, as the service's own role. A schema that is ahead is that of a later version, which
 * this one can use. The log says what is waited for, once for each reason.
 *
 * @param migrations the directory of the service's SQL files.
 * @throws SchemaBehindError after `timeoutMs`, so that the process ends and its supervisor starts it again.
 */
export async function awaitSchema(
  pool: Pick<Pool, "query">,
  schema: string,
  migrations: URL,
  log: Pick<Logger, "warn" | "info">,
  timeoutMs = SCHEMA_TIMEOUT_MS,
): Promise<void> {
  const needed = (await readdir(migrations)).filter((name) => name.endsWith(".sql"));
  const endsAt = performance.now() + timeoutMs;
  let told: string | undefined;
  for (;;) {
    const reason = await missingIn(pool, schema, needed);
    if (reason === undefined) {
      if (told !== undefined) log.info({ operation: "await schema" }, "the schema has every migration");
      return;
    }
    if (reason !== told) log.warn({ operation: "await schema", reason }, "waiting for the schema");
    told = reason;
    if (performance.now() > endsAt) throw new SchemaBehindError(`the schema ${schema} is behind: ${reason}`);
    // This keeps the process alive, which has nothing else while no database can be reached.
    await delay(LOOK_INTERVAL_MS);
  }
}

/** Shorter than the five minutes that the start-up probe leaves a start. */
const SCHEMA_TIMEOUT_MS = 240_000;
const LOOK_INTERVAL_MS = 1_000;

/** @returns what is not there yet; undefined where everything is. */
async function missingIn(
  pool: Pick<Pool, "query">,
  schema: string,
  needed: readonly string[],
): Promise<string | undefined> {
  try {
    const { rows } = await pool.query<{ name: string }>(
      `select name from ${escapeIdentifier(schema)}.migration`,
    );
    const ran = new Set(rows.map(({ name }) => `${name}.sql`));
    const missing = needed.filter((name) => !ran.has(name)).toSorted();
    return missing.length === 0 ? undefined : `${missing.length} migrations have not run, from ${missing[0]}`;
  } catch (error) {
    if (!(error instanceof DatabaseError)) return "the database cannot be reached";
    return NOT_INSTALLED.has(error.code ?? "")
      ? `the installation or the migrations have not run yet (SQLSTATE ${error.code})`
      : `the database refuses (SQLSTATE ${error.code})`;
  }
}

/** No such role or a wrong password, no database, no schema, no table, and no right to look at it yet. */
const NOT_INSTALLED = new Set(["28P01", "28000", "3D000", "3F000", "42P01", "42501"]);
