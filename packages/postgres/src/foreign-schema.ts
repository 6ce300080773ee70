import { escapeIdentifier, type ClientBase } from "pg";

/** A schema that this program's migrations did not make: it is not changed, and no service works on it. */
export class ForeignSchemaError extends Error {
  override name = "ForeignSchemaError";
  readonly code = "foreign_schema";
  constructor(schema: string, found: string) {
    super(
      `the schema ${schema} ${found}: nothing was changed; use the version that made it, or install into another database`,
    );
  }
}

/**
 * Compares a schema's past with this program's migrations.
 * @param ran the files whose migrations have run.
 * @param files this program's files, in their order.
 * @returns the fault, for a sentence that begins with the schema; undefined if `files` can continue from
 * `ran`, or a later version has continued from `files`.
 */
export function foreignPast(ran: readonly string[], files: readonly string[]): string | undefined {
  const first = files.find((file) => !ran.includes(file));
  if (first === undefined) return undefined;
  const unknown = ran.filter((name) => !files.includes(name)).toSorted();
  if (unknown.length > 0) {
    return `has ${unknown.length} migrations that this version does not know, from ${unknown[0]}, and lacks ${first}`;
  }
  const later = ran.find((name) => name > first);
  return later && `has the migration ${later} without ${first} before it`;
}

/**
 * Checks a schema as its owner, in one snapshot, and changes nothing.
 * @throws ForeignSchemaError if the program's migrations cannot continue from the schema.
 */
export async function refuseForeignSchema(
  client: Pick<ClientBase, "query">,
  schema: string,
  files: readonly string[],
): Promise<void> {
  await client.query("begin isolation level repeatable read read only");
  try {
    const tables = await tablesOf(client, schema);
    const ran = tables.includes("migration") ? await migrationsOf(client, schema) : [];
    const past = foreignPast(ran, files) ?? laterPast(ran, files);
    if (past) throw new ForeignSchemaError(schema, past);
    const [first, ...more] = tables.filter((name) => !RECORDS.includes(name));
    if (ran.length === 0 && first !== undefined) {
      const others = more.length > 0 ? ` and ${more.length} more` : "";
      throw new ForeignSchemaError(schema, `has tables (${first}${others}) and no record of migrations`);
    }
  } finally {
    await client.query("rollback");
  }
}

/** Finds a later version's past, in which the program's migrations have nothing to do and may not know the changes. */
function laterPast(ran: readonly string[], files: readonly string[]): string | undefined {
  const later = ran.filter((name) => !files.includes(name)).toSorted();
  return later.length > 0 ? `is of a later version, with the migration ${later[0]}` : undefined;
}

async function tablesOf(client: Pick<ClientBase, "query">, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = $1 and relkind in ('r', 'p', 'v', 'm', 'f') order by relname`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

async function migrationsOf(client: Pick<ClientBase, "query">, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from ${escapeIdentifier(schema)}.migration`,
  );
  return rows.map(({ name }) => name);
}

/** The migrator's own tables. */
export const RECORDS = ["migration", "migration_lock"];
