// Rows for any table of the product, so that a migration finds each of them filled.
import { escapeIdentifier, type Client } from "pg";

/** Enough rows to tell a scan of all from a read of a few. */
export const ROWS = 2_000;

/**
 * The statement that inserts the rows $1 to $2, with the table's present columns that need a value: a version
 * that knows no later column inserts the same. Ids contain the row's number, so that each reference finds the
 * row with its number.
 */
export async function fillStatement(client: Client, schema: string, table: string): Promise<string> {
  const { rows } = await client.query<Column>(COLUMNS, [`${schema}.${escapeIdentifier(table)}`]);
  const needed = rows.flatMap((column) => {
    const value = valueOf(`${schema}.${table}`, column);
    return value === undefined ? [] : [{ name: escapeIdentifier(column.name), value }];
  });
  return `insert into ${schema}.${escapeIdentifier(table)} (${needed.map(({ name }) => name).join(", ")})
    select ${needed.map(({ value }) => value).join(", ")} from generate_series($1::integer, $2::integer) as n on conflict do nothing`;
}

/** A statement that writes one row of a table unchanged, and so locks it as any change does. */
export async function touchStatement(client: Client, schema: string, table: string): Promise<string> {
  const { rows } = await client.query<Column>(COLUMNS, [`${schema}.${escapeIdentifier(table)}`]);
  const [name, of] = [escapeIdentifier(rows.at(-1)!.name), `${schema}.${escapeIdentifier(table)}`];
  return `update ${of} set ${name} = ${name} where ctid = any(array(select ctid from ${of} limit 1))`;
}

type Column = {
  name: string;
  type: string;
  required: boolean;
  hasDefault: boolean;
  checks: string | null;
};

const COLUMNS = `
  select attname as name, format_type(atttypid, atttypmod) as type, attnotnull as required, atthasdef as "hasDefault",
    (select string_agg(pg_get_constraintdef(oid), ' ') from pg_constraint
     where conrelid = attrelid and contype = 'c' and conkey = array[attnum]) as checks
  from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
  order by attnum`;

function valueOf(table: string, { name, type, required, hasDefault, checks }: Column): string | undefined {
  const own = OF_TABLE[table]?.[name];
  if (own !== undefined) return own;
  // A default would make ids that no reference finds.
  if (!required || (hasDefault && type !== "uuid")) return undefined;
  const word = /= ANY \(ARRAY\['([^']+)'/.exec(checks ?? "")?.[1];
  const value = OF_COLUMN[name] ?? (word === undefined ? OF_TYPE[type] : `'${word}'`);
  if (value === undefined) throw new Error(`${table}.${name}: no value is known for ${type}`);
  return value;
}

const ID = "('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
const SHA256 = "sha256(convert_to(n::text, 'UTF8'))";

const OF_TYPE: Record<string, string> = {
  uuid: ID,
  text: "'text-' || n",
  "character(3)": "'TRY'",
  bigint: "1",
  integer: "1",
  smallint: "1",
  numeric: "1",
  boolean: "false",
  bytea: SHA256,
  "timestamp with time zone": "now()",
  date: "current_date",
  jsonb: "'{}'",
  "text[]": "'{TRY}'",
  "smallint[]": "'{1}'",
  "timestamp with time zone[]": "array[now()]",
};

/** Columns whose checks or keys require more than their type. */
const OF_COLUMN: Record<string, string> = {
  api_key: "lpad(n::text, 32, '0')",
  bin_from: "n",
  bin_to: "n",
  country: "'TR'",
  cut_off: "'23:00'",
  digits: "6",
  failure_url: "'https://shop.example/failed'",
  line_id: `encode(${SHA256}, 'hex')`,
  masked_pan: "'454671******1234'",
  refused_by: "'somebody else'",
  sequence: "n",
  success_url: "'https://shop.example/paid'",
};

/** Values for columns of single tables, and for what its migrations have to find there. */
const OF_TABLE: Record<string, Record<string, string>> = {
  "payments.chargeback_line": { chargeback_id: ID },
  "refunds.refund": { recover_at: "now()" },
  "settlement.difference": { fact_id: ID, amount_minor: "n", currency: "'TRY'" },
  "settlement.fact": { auth_code: "'text-' || n" },
  "settlement.line": {
    kind: "case when n % 2 = 0 then 'SALE' else 'CHARGEBACK' end",
    reference_id: ID,
    settles_on: "current_date",
  },
};
