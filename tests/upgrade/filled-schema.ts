import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { schemaByService, type ServiceName } from "@holdfast/sandbox/infrastructure";
import { migrate } from "@holdfast/postgres";
import type { Client } from "pg";
import { fillStatement, ROWS, touchStatement } from "./fill-table.ts";
import { observeMigration, type Observed } from "./observe-migration.ts";
import { ROOT } from "./release-before.ts";
import { DEADLOCK, writeDuring, type Writer, type Writes } from "./write-during.ts";

/**
 * A service's schema as the release before has it, filled, which is then migrated file by file. Each later table is
 * filled when the migration that makes it has run. All are written to from then on.
 */
export type FilledSchema = {
  schema: string;
  /** @property filled is fewer than `ROWS` where a table's checks allow only some rows. */
  tables: (Writes & { filled: number })[];
  writer: Writer;
  observed: Observed[];
  /** Runs the migrations before this one, or all that are left. */
  migrate(before?: string): Promise<void>;
  /** Does something while its tables are written to. */
  whileWriting(during: string, work: () => Promise<void>): Promise<void>;
};

export type SchemaToFill = {
  service: ServiceName;
  ownerUrl: string;
  client: Client;
  writer: Writer;
  directory: string;
  /** The migrations of the previous release, which no upgrade runs. */
  released: readonly string[];
};

export async function filledSchema(given: SchemaToFill): Promise<FilledSchema> {
  const { service, client, writer } = given;
  const schema = schemaByService[service];
  const from = join(ROOT, "services", service, "migrations");
  const copies = join(given.directory, service);
  await mkdir(copies);
  const all = (await readdir(from)).toSorted().map((file) => file.replace(/\.sql$/, ""));
  const left = all.filter((migration) => !given.released.includes(migration));
  const tables: FilledSchema["tables"] = [];
  const observed: Observed[] = [];
  const fillNew = async () => {
    const filled = tables.map(({ table }) => table);
    for (const table of await newTables(client, schema, filled)) {
      const insert = await fillStatement(client, schema, table);
      const { rowCount } = await client.query(insert, [1, ROWS]);
      const touch = await touchStatement(client, schema, table);
      tables.push({ table, insert, touch, filled: rowCount ?? 0 });
    }
  };
  for (const migration of given.released)
    await copyFile(join(from, `${migration}.sql`), join(copies, `${migration}.sql`));
  await migrate(given.ownerUrl, schema, copies);
  await fillNew();
  const runNext = async () => {
    const migration = left.shift()!;
    const { ownerUrl } = given;
    const filled = tables.map(({ table }) => table);
    const during = `${service}/${migration}`;
    const seen = await writeDuring({ during, writer, watcher: client, tables }, (asks) =>
      triedAgain(() => observeMigration({ client, ownerUrl, schema, from, copies, migration, filled, asks })),
    );
    observed.push({ ...seen, migration: during });
    await fillNew();
  };
  return {
    schema,
    tables,
    writer,
    observed,
    async migrate(before) {
      if (before !== undefined && !left.includes(before))
        throw new Error(`${service}/${before} has run, or is not there`);
      while (left.length > 0 && left[0] !== before) await runNext();
    },
    whileWriting: (during, work) => writeDuring({ during, writer, watcher: client, tables }, work),
  };
}

/** Tries again like the migration's Job, if the migration does not get its locks. */
async function triedAgain<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const code = (error as { cause?: { code?: string } }).cause?.code ?? "";
      if (attempt === ATTEMPTS_MAX || !["55P03", DEADLOCK].includes(code)) throw error;
    }
  }
}

/** `backoffLimit` of the Jobs. */
const ATTEMPTS_MAX = 10;

/**
 * Tables in the order of their creation, so that referenced tables come first. Parents of the dispatcher's
 * tables have no rows.
 */
async function newTables(client: Client, schema: string, known: string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = $1::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname not like 'migration%' and relname not like 'every\\_%' and relname <> all($2)
     order by oid`,
    [schema, known],
  );
  return rows.map(({ name }) => name);
}
