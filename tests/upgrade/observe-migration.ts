// One migration, run as its service's command runs it, and looked at in its own transaction right before that commits.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { migrate } from "@holdfast/postgres";
import type { Client } from "pg";
import { eventually } from "../support/index.ts";
import type { AsksWriter } from "./write-during.ts";

/** The effects of a migration on tables that had rows. */
export type Observed = {
  migration: string;
  /** The tables that the migration locks against writers. */
  locked: string[];
  /** The tables that it reads, row by row. */
  read: string[];
  /** The tables of which it writes rows, so that their writers wait for its end, or which it rewrites. */
  written: string[];
  /** The time for which it waits for a lock while all others queue behind it; `0` is forever. */
  lockTimeout: string;
  writer: "passed" | "waits";
};

export type MigrationToRun = {
  client: Client;
  ownerUrl: string;
  schema: string;
  /** The directory of the service's migrations, and a directory of the test with those that ran. */
  from: string;
  copies: string;
  migration: string;
  filled: readonly string[];
  asks: AsksWriter;
};

export async function observeMigration(given: MigrationToRun): Promise<Observed> {
  const { client, schema, migration, filled } = given;
  const before = await filenodes(client, schema);
  const text = await readFile(join(given.from, `${migration}.sql`), "utf8");
  await writeFile(join(given.copies, `${migration}.sql`), `${text}\n;${LOOK(schema)}`);
  await client.query("truncate seen.relation");
  await client.query("select pg_advisory_lock($1)", [GATE]);
  let failure: unknown;
  const ran = migrate(given.ownerUrl, schema, given.copies).catch((error: unknown) => (failure = error));
  let writer: Observed["writer"] = "passed";
  try {
    const pid = await eventually(async () => (failure === undefined ? await atTheGate(client) : 0));
    if (pid !== 0) writer = await given.asks(pid);
  } finally {
    await client.query("select pg_advisory_unlock($1)", [GATE]);
  }
  await ran;
  if (failure !== undefined) throw new Error(`${migration} failed`, { cause: failure });
  const { rows } = await client.query<Seen>("select * from seen.relation");
  const those = (when: (one: Seen) => boolean) =>
    filled.filter((table) => rows.some((one) => one.name === table && when(one))).toSorted();
  return {
    migration,
    locked: those(({ keeps_out }) => keeps_out),
    read: those(({ rows_read }) => Number(rows_read) > FEW),
    written: those(({ id, filenode, rows_written }) => {
      return Number(rows_written) > FEW || (before.has(id) && before.get(id) !== filenode);
    }),
    lockTimeout: rows[0]!.lock_timeout,
    writer,
  };
}

/**
 * The tables for which writers wait, and the tables that are worked through meanwhile; undefined if writers
 * wait only for a moment.
 */
export function stopOf(observed: Observed): { waits: string[]; works: string[] } | undefined {
  const { locked, read, written } = observed;
  if (written.length === 0 && (locked.length === 0 || read.length === 0)) return undefined;
  const all = (...of: string[][]) => [...new Set(of.flat())].toSorted();
  return { waits: all(locked, written), works: all(read, written) };
}

/** The schema in which migrations record their effects, and the right to do so. */
export const NOTEBOOK = `
  create schema seen;
  create table seen.relation (id text, name text, keeps_out boolean, rows_read bigint, rows_written bigint, filenode text,
    lock_timeout text);
  grant usage on schema seen to public;
  grant insert on seen.relation to public`;

type Seen = {
  id: string;
  name: string;
  keeps_out: boolean;
  rows_read: string;
  rows_written: string;
  filenode: string;
  lock_timeout: string;
};

/** Fewer rows than any table has, and more than a read of a few rows needs. */
const FEW = 100;

const GATE = 2_250;

/**
 * Reads the migration's locks, and its reads and writes in this transaction: a session counts its own work
 * before others see it. A partition counts for its table. Then the migration waits at the gate, with all its
 * locks.
 */
const LOOK = (schema: string) => `
  insert into seen.relation
  select each.oid, root.relname,
    exists (select from pg_locks where pid = pg_backend_pid() and relation = each.oid
      and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')),
    pg_stat_get_xact_tuples_returned(each.oid) + pg_stat_get_xact_tuples_fetched(each.oid),
    pg_stat_get_xact_tuples_updated(each.oid) + pg_stat_get_xact_tuples_deleted(each.oid),
    pg_relation_filenode(each.oid), current_setting('lock_timeout')
  from pg_class as each join pg_class as root on root.oid = coalesce(pg_partition_root(each.oid), each.oid)
  where each.relnamespace = '${schema}'::regnamespace and each.relkind in ('r', 'p');
  set local lock_timeout = 0;
  select pg_advisory_xact_lock(${GATE});`;

async function atTheGate(client: Client): Promise<number | false> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_locks where locktype = 'advisory' and objid = $1 and not granted
       and database = (select oid from pg_database where datname = current_database())`,
    [GATE],
  );
  return rows[0]?.pid ?? false;
}

async function filenodes(client: Client, schema: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; filenode: string }>(
    `select oid::text as id, pg_relation_filenode(oid)::text as filenode from pg_class
     where relnamespace = $1::regnamespace and relkind in ('r', 'p')`,
    [schema],
  );
  return new Map(rows.map(({ id, filenode }) => [id, filenode]));
}
