import { sql, type RawBuilder } from "kysely";
import { utcMicroseconds } from "./utc-microseconds.ts";

type Asked = {
  /** Rows of all other kinds are left out. */
  kinds: readonly string[];
  after?: { createdAt: string; id: string } | undefined;
  limit: number;
};

/**
 * The rows of several selects as one part of a list, oldest first. Each select has the columns `kind`,
 * `since` and `id`, and `since_utc` is added, which names the place.
 */
export function oldestFirst<Row>(
  selects: readonly RawBuilder<unknown>[],
  { kinds, after, limit }: Asked,
): RawBuilder<Row> {
  const behind = after ? sql`(since, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql`true`;
  return sql<Row>`
    select each.*, ${utcMicroseconds("since")} as since_utc from (${sql.join(selects, sql` union all `)}) as each
    where kind = any(${kinds}::text[]) and ${behind}
    order by since, id limit ${limit}`;
}
