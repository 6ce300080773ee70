import type { Kysely } from "kysely";
import { Pool } from "pg";
import { z } from "zod";
import { commandActor } from "@holdfast/service-runtime";
import { readCommandLine, runProgram, UsageError } from "@holdfast/service-runtime";
import { parseConfig, unwrapRings } from "@holdfast/service-runtime";
import { createDatabase } from "../create-database.ts";
import { databaseUrlOf } from "./database-url-of.ts";
import { rowsByKey, type RingInUse } from "./keys-in-use.ts";
import { COMMAND_CONNECTION_TIMEOUT_MS } from "../postgres.ts";

/** A ring that no stored row needs, with the reason why an old key still has to stay. */
export type PassingRing = Omit<RingInUse, "rows" | "rowsAre"> & { oldKeyStays: string };

export type KeysProgram<Shape extends z.ZodRawShape, DB> = {
  /** The service, and its schema. */
  service: string;
  schema: string;
  /** The settings that it reads of the service's environment, beside DATABASE_URL. */
  settings: Shape;
  rings: (config: z.output<z.ZodObject<Shape>>) => (RingInUse<DB> | PassingRing | undefined)[];
  /** The actions beside `status`, by the first argument. */
  actions?: Record<string, KeysAction<Shape, DB>>;
};

export type KeysAction<Shape extends z.ZodRawShape, DB> = {
  /** A line of the help. */
  help: string;
  run: (deps: {
    db: Kysely<DB>;
    config: z.output<z.ZodObject<Shape>>;
    /** The person at the keyboard, for the audit log. */
    actor: string;
    /** `--key ID`. */
    key: string | undefined;
    out: (text: string) => void;
  }) => Promise<number>;
};

/** The output of `status --json`. */
export type RingStatus = {
  setting: string;
  keys: { id: string; active: boolean; inRing: boolean; rows: number }[];
  rowsAre?: string;
  oldKeyStays?: string;
};

/**
 * The command that each service with a ring of keys has, in its image beside the service and with the service's own
 * environment: `holdfast keys SERVICE status [--json]`. It exits with 1 where something is left to do or a key is
 * missing, and with 2 where it could not compare.
 */
export async function runKeysCommand<Shape extends z.ZodRawShape, DB>(
  program: KeysProgram<Shape, DB>,
  args: string[],
): Promise<void> {
  await runProgram(program.service, (given, env, out) => keysCommand(program, given, env, out), { args });
}

/** The command itself. @returns the exit code. */
export async function keysCommand<Shape extends z.ZodRawShape, DB>(
  program: KeysProgram<Shape, DB>,
  args: string[],
  env: NodeJS.ProcessEnv,
  out: (text: string) => void,
): Promise<number> {
  const line = readCommandLine(
    args,
    {
      help: helpOf(program),
      positionals: true,
      options: { json: { type: "boolean", default: false }, key: { type: "string" } },
    },
    out,
  );
  if (!line) return 0;
  const { values, positionals } = line;
  const [name = "status"] = positionals;
  const action = program.actions?.[name];
  if (positionals.length > 1 || (name !== "status" && !action))
    throw new UsageError(`there is no such command (--help lists the commands)`);
  const config = parseConfig(z.object(program.settings), await unwrapRings(program.settings, env));
  return await withDatabase<DB>(program, env, async (db) => {
    if (action)
      return await action.run({ db, config, actor: commandActor("keys", env), key: values.key, out });
    const rings = await Promise.all(
      program.rings(config).flatMap((ring) => (ring ? [statusOf(db, ring)] : [])),
    );
    out(
      values.json
        ? `${JSON.stringify({ service: program.service, rings })}\n`
        : rings.map(describeRing).join(""),
    );
    return rings.every(({ keys }) => keys.every(({ inRing }) => inRing)) ? 0 : 1;
  });
}

function helpOf<Shape extends z.ZodRawShape, DB>({ service, actions = {} }: KeysProgram<Shape, DB>): string {
  const lines = Object.entries({ status: { help: STATUS_HELP }, ...actions }).map(
    ([name, { help }]) => `  ${name.padEnd(20)} ${help}\n`,
  );
  return `keys of ${service} (docs/keys.md)\n\n${lines.join("")}`;
}

const STATUS_HELP = "[--json] prints the keys of each ring, and how many rows still need each key";

async function withDatabase<DB>(
  { service, schema }: { service: string; schema: string },
  env: NodeJS.ProcessEnv,
  work: (db: Kysely<DB>) => Promise<number>,
): Promise<number> {
  const url = databaseUrlOf("DATABASE_URL", env["DATABASE_URL"], env);
  const pool = new Pool({
    connectionString: url,
    max: 1,
    application_name: `${service} keys`,
    connectionTimeoutMillis: COMMAND_CONNECTION_TIMEOUT_MS,
    // A count may read a week of rows, for which the time limit of the service's role is too short.
    options: `-c search_path=${schema} -c statement_timeout=${STATEMENT_TIMEOUT_MS}`,
  });
  // The statement under way reports a connection that breaks.
  pool.on("error", () => {});
  await using db = createDatabase<DB>(pool);
  return await work(db);
}

const STATEMENT_TIMEOUT_MS = 600_000;

async function statusOf<DB>(db: Kysely<DB>, ring: RingInUse<DB> | PassingRing): Promise<RingStatus> {
  const needed = "rows" in ring ? await rowsByKey(db, ring.rows) : new Map<string, bigint>();
  const { activeId, keys } = ring.ring;
  const ids = [...keys.keys(), ...[...needed.keys()].filter((id) => !keys.has(id))];
  return {
    setting: ring.setting,
    ...("rows" in ring ? { rowsAre: ring.rowsAre } : { oldKeyStays: ring.oldKeyStays }),
    keys: ids.map((id) => ({
      id,
      active: id === activeId,
      inRing: keys.has(id),
      rows: Number(needed.get(id) ?? 0n),
    })),
  };
}

function describeRing({ setting, keys, rowsAre, oldKeyStays }: RingStatus): string {
  const lines = keys.map(({ id, active, inRing, rows }) => {
    const mark = active ? "active" : inRing ? "" : "MISSING";
    return `  ${id.padEnd(12)} ${mark.padEnd(8)} ${oldKeyStays ? "" : needOf(rows, rowsAre!, active)}`.trimEnd();
  });
  if (keys.length === 0) return `${setting}\n  is not set, and nothing needs it\n`;
  const note = oldKeyStays ? [`  its rows are not counted; an old key has to stay ${oldKeyStays}`] : [];
  return [setting, ...lines, ...note, ""].join("\n");
}

function needOf(rows: number, rowsAre: string, active: boolean): string {
  if (rows > 0) return `${rows} ${rowsAre} need it`;
  return active ? "nothing needs it yet" : "nothing needs it: it can be removed";
}
