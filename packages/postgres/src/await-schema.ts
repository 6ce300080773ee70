import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseError, escapeIdentifier, type Pool } from "pg";
import { ForeignSchemaError, foreignPast } from "./foreign-schema.ts";
import type { Logger } from "@holdfast/service-runtime";

/** The schema was not what this version needs within the time that a start has. */
export class SchemaBehindError extends Error {
  override name = "SchemaBehindError";
  readonly code = "schema_behind";
}

type Options = {
  timeoutMs?: number;
  /** Stops this process in order; its supervisor starts it again. */
  endProcess?: () => void;
};

/**
 * Waits until every migration of this version has run, so that installation, migrations and services can be
 * started in any order (docs/adr/0052). It only reads, as the service's own role. A schema that is ahead
 * belongs to a later version, and this version can use it. Each reason for the wait is logged once.
 *
 * An outage keeps no process down: while the database is unreachable the service starts without the check.
 * The check follows as soon as the database is back, and ends the process if the schema is behind.
 *
 * @param migrations the directory of the service's SQL files.
 * @throws SchemaBehindError after `timeoutMs`, so that the process ends and its supervisor starts it again.
 * @throws ForeignSchemaError immediately if other migrations made the schema: no migration of this version
 * will run there.
 */
export async function awaitSchema(
  pool: Pick<Pool, "query" | "ended">,
  schema: string,
  migrations: string,
  log: Pick<Logger, "warn" | "info" | "error">,
  { timeoutMs = SCHEMA_TIMEOUT_MS, endProcess = () => process.kill(process.pid, "SIGTERM") }: Options = {},
): Promise<void> {
  const needed = (await readdir(migrations)).filter((name) => name.endsWith(".sql")).toSorted();
  const look = () => lookAt(pool, schema, needed);
  const endsAt = performance.now() + timeoutMs;
  let logged: string | undefined;
  for (;;) {
    const { is, reason } = await look();
    if (is === "foreign") throw new ForeignSchemaError(schema, reason);
    if (is === "complete") {
      if (logged !== undefined) log.info({ operation: OPERATION }, "the schema has every migration");
      return;
    }
    if (is === "away") {
      log.warn({ operation: OPERATION, reason }, "starting without a look at the schema");
      void lookLater(look, { isStopped: () => pool.ended, log, endProcess });
      return;
    }
    if (reason !== logged) log.warn({ operation: OPERATION, reason }, "waiting for the schema");
    logged = reason;
    if (performance.now() > endsAt) throw new SchemaBehindError(`the schema ${schema} is behind: ${reason}`);
    await delay(LOOK_INTERVAL_MS);
  }
}

const OPERATION = "await schema";
/** Shorter than the five minutes that the start-up probe leaves a start. */
const SCHEMA_TIMEOUT_MS = 240_000;
const LOOK_INTERVAL_MS = 1_000;

/** The state of a schema; `away`: the database did not answer, or takes no connections now. */
type Seen = { is: "complete"; reason?: never } | { is: "behind" | "foreign" | "away"; reason: string };

/** Looks until the database answers or the service has stopped. */
async function lookLater(
  look: () => Promise<Seen>,
  {
    isStopped,
    log,
    endProcess,
  }: { isStopped: () => boolean; log: Pick<Logger, "error">; endProcess: () => void },
): Promise<void> {
  for (;;) {
    await delay(LOOK_INTERVAL_MS, undefined, { ref: false });
    if (isStopped()) return;
    const { is, reason } = await look();
    if (is === "away") continue;
    if (is !== "complete") {
      log.error({ operation: OPERATION, reason }, `the schema is ${is}: starting again`);
      endProcess();
    }
    return;
  }
}

async function lookAt(pool: Pick<Pool, "query">, schema: string, needed: readonly string[]): Promise<Seen> {
  try {
    const { rows } = await pool.query<{ name: string }>(
      `select name from ${escapeIdentifier(schema)}.migration`,
    );
    const ran = rows.map(({ name }) => name);
    const foreign = foreignPast(ran, needed);
    if (foreign) return { is: "foreign", reason: foreign };
    const missing = needed.filter((name) => !ran.includes(name));
    if (missing.length === 0) return { is: "complete" };
    return { is: "behind", reason: `${missing.length} migrations have not run, from ${missing[0]}` };
  } catch (error) {
    if (!(error instanceof DatabaseError)) return { is: "away", reason: "the database cannot be reached" };
    return NOT_INSTALLED.has(error.code ?? "")
      ? {
          is: "behind",
          reason: `the installation or the migrations have not run yet (SQLSTATE ${error.code})`,
        }
      : { is: "away", reason: `the database refuses (SQLSTATE ${error.code})` };
  }
}

/** No such role or a wrong password, no database, no schema, no table, and no right to look at it yet. */
const NOT_INSTALLED = new Set(["28P01", "28000", "3D000", "3F000", "42P01", "42501"]);
