import type { ListPart, ListPlace } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { listStatement, type ListedColumns, type ListQuery, type ListTable } from "./list-statement.ts";

/** Rows of a list, and up to where it has been read; without that place the list is over. */
export type ReadRows<Row> = { rows: Row[]; readTo?: ListPlace };

/** One part of a list, by one statement. */
export async function readList<Row>(
  db: Pick<Kysely<never>, "getExecutor">,
  table: ListTable,
  query: ListQuery,
): Promise<ReadRows<Row & ListedColumns>> {
  const { rows } = await listStatement<Row>(table, query).execute(db);
  const matching = rows.filter(({ is_match }) => is_match);
  const page = matching.slice(0, query.limit);
  const last = matching.length > query.limit ? page.at(-1) : rows.find(({ is_last_read }) => is_last_read);
  return { rows: page, ...(last && { readTo: placeOf(last) }) };
}

/** A list as a part of a merged list. */
export function partOf<Row extends ListedColumns, Item>(
  { rows, readTo }: ReadRows<Row>,
  itemOf: (row: Row) => Item,
): ListPart<Item> {
  return {
    items: rows.map((row) => ({ ...placeOf(row), item: itemOf(row) })),
    ...(readTo && { readTo }),
  };
}

function placeOf({ created_at_utc, listed_id }: ListedColumns): ListPlace {
  return { createdAt: created_at_utc, id: listed_id };
}
