import { randomInt } from "node:crypto";
import { isMadeOfCardNumber } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";

/** A card number in a column. Of the number itself there are only the last four digits. */
export type CardFound = { place: string; lastFour: string };

export type DatabaseScan = {
  tables: { table: string; pages: number; scannedPages: number }[];
  /** Ranges that took too long, or whose table was locked, and that were left out. */
  skipped: number;
  /** Tables that have ids, times, amounts and counts only, which no text goes into. */
  withoutTexts: string[];
  found: CardFound[];
};

/**
 * Looks for card numbers in all texts, documents and bytes of our schemas, without holding a lock: it reads
 * one range of a table's pages after another, each in a short statement of its own. Small tables are read
 * whole. Of large tables it reads as many random ranges as there is time for, different ones in each run. The
 * server discards values that cannot be card numbers, so hardly any row leaves it.
 *
 * @param untilMs `performance.now()` at which it ends
 */
export async function scanDatabase(
  db: Kysely<unknown>,
  { schemas, untilMs }: { schemas: readonly string[]; untilMs: number },
): Promise<DatabaseScan> {
  const scan: DatabaseScan = { tables: [], skipped: 0, withoutTexts: [], found: [] };
  const tables: Table[] = [];
  for (const table of await tablesOf(db, schemas)) {
    if (table.columns.length === 0) {
      scan.withoutTexts.push(table.table);
      continue;
    }
    const size = await inTime(scan, async () => await sizeOf(db, table));
    if (size) tables.push({ ...table, ...size });
  }
  scan.tables = tables.map(({ table, pages }) => ({ table, pages, scannedPages: 0 }));
  for (const { index, from } of inOrder(tables)) {
    if (performance.now() >= untilMs) break;
    const table = tables[index]!;
    const found = await inTime(scan, async () => await scanRange(db, table, from));
    if (!found) continue;
    scan.found.push(...found);
    scan.tables[index]!.scannedPages += Math.min(RANGE_PAGES, table.pages - from);
  }
  return scan;
}

/** @returns undefined if a statement takes too long, or somebody has locked its table. */
async function inTime<Result>(scan: DatabaseScan, work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!/^(57014|55P03)$/.test((error as { code?: string }).code ?? "")) throw error;
    scan.skipped++;
    return undefined;
  }
}

/** 4 MiB. */
const RANGE_PAGES = 512;
/** Tables of at most so many ranges are read whole, before all others. */
const SMALL_RANGES = 4;

type Table = { table: string; columns: string[]; pages: number; isLong: boolean };

/** A table's pages, and whether most of it is texts that stand outside of them. */
async function sizeOf(
  db: Kysely<unknown>,
  { table }: { table: string },
): Promise<Pick<Table, "pages" | "isLong">> {
  const { rows } = await sql<Pick<Table, "pages" | "isLong">>`
    select (pg_relation_size(oid) / current_setting('block_size')::int)::int as pages,
      coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0) > pg_relation_size(oid) as "isLong"
    from pg_class where oid = ${table}::regclass`.execute(db);
  return rows[0]!;
}

async function tablesOf(
  db: Kysely<unknown>,
  schemas: readonly string[],
): Promise<Pick<Table, "table" | "columns">[]> {
  const { rows } = await sql<Pick<Table, "table" | "columns">>`
    select format('%I.%I', n.nspname, c.relname) as "table",
      coalesce(array_agg(case when t.typname = 'bytea' then format('encode(%I, ''escape'')', a.attname)
        else format('%I::text', a.attname) end order by a.attnum) filter (where t.typname is not null), '{}') as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_type t on t.oid = a.atttypid
      and (t.typcategory = 'S' or t.typname in ('json', 'jsonb', 'bytea', '_text', '_varchar'))
    where c.relkind = 'r' and n.nspname = any(${[...schemas]})
    group by n.nspname, c.relname, c.oid order by 1`.execute(db);
  return rows;
}

/** All ranges: the small tables' first, and then the others' in a random order. */
function inOrder(tables: readonly Table[]): { index: number; from: number }[] {
  const ranges = tables.map(({ pages }, index) =>
    Array.from({ length: Math.ceil(pages / RANGE_PAGES) }, (_, range) => ({
      index,
      from: range * RANGE_PAGES,
    })),
  );
  const small = ranges.filter(({ length }) => length <= SMALL_RANGES).flat();
  const others = ranges.filter(({ length }) => length > SMALL_RANGES).flat();
  for (let left = others.length - 1; left > 0; left--) {
    const other = Math.floor(Math.random() * (left + 1));
    [others[left], others[other]] = [others[other]!, others[left]!];
  }
  return [...small, ...others];
}

/**
 * Joins the texts of a range's rows and searches them by one expression: beginning one for each text would take four times
 * as long. Long texts are searched row by row, since not all of a range's fit into memory.
 */
async function scanRange(
  db: Kysely<unknown>,
  { table, columns, isLong }: Table,
  from: number,
): Promise<CardFound[]> {
  // Names come from the catalogue, quoted by the server.
  const texts = sql.join(columns.map((column) => sql`${sql.raw(column)}`));
  const relation = sql.raw(table);
  const { rows } = await sql<{ place: string; texts: (string | null)[] }>`
    select ctid::text as place, array[${texts}] as texts from ${relation}
    where ctid = any(array(
      select split_part(match[1], ${BETWEEN_TEXTS}, 1)::tid
      from (
        select string_agg(concat_ws(${BETWEEN_TEXTS}, ctid, ${texts}), ${BETWEEN_ROWS}) as joined from ${relation}
        where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${from + RANGE_PAGES},0)`}::tid
        ${isLong ? sql`group by ctid` : sql``}
      ) as range, regexp_matches(joined, ${ROW_OF_CANDIDATE}, 'g') as match
    ))`.execute(db);
  return rows.flatMap(({ place, texts: given }) =>
    given.flatMap((text, index) =>
      cardsIn(text ?? "").map((lastFour) => ({
        place: `${table} ${nameOf(columns[index]!)} ${place}`,
        lastFour,
      })),
    ),
  );
}

function nameOf(column: string): string {
  return column.replace(/^encode\((.*), 'escape'\)$/, "$1").replace(/::text$/, "");
}

const SEPARATOR = randomInt(0x7000);
/** Characters of no language, new ones in each run: a text that had them could hide its row. */
const [BETWEEN_TEXTS, BETWEEN_ROWS] = [0, 1].map((next) =>
  String.fromCodePoint(0xf_0000 + 2 * SEPARATOR + next),
) as [string, string];

/** Digits together, or in the groups of cards. */
const candidate = (gap: string) =>
  `[0-9]{15}|[0-9]{4}${gap}[0-9]{4}${gap}[0-9]{4}${gap}[0-9]{4}|[0-9]{4}${gap}[0-9]{6}${gap}[0-9]{4}`;
const PIECES = new RegExp(`(?:${candidate("[^0-9]")})[0-9]*`, "g");
const WITHIN_ROW = `[^${BETWEEN_ROWS}]*`;
const ROW_OF_CANDIDATE = `${WITHIN_ROW}(?:${candidate(`[^0-9${BETWEEN_TEXTS}${BETWEEN_ROWS}]`)})${WITHIN_ROW}`;

/** The last four digits of each card number in a text. */
export function cardsIn(text: string): string[] {
  return [...text.matchAll(PIECES)].flatMap(([piece], index, all) => {
    // The surrounding characters tell a card number from a part of a hexadecimal id.
    const at = all[index]!.index;
    return isMadeOfCardNumber(text.slice(Math.max(0, at - AROUND), at + piece.length + AROUND))
      ? [piece.replaceAll(/[^0-9]/g, "").slice(-4)]
      : [];
  });
}

const AROUND = 40;
