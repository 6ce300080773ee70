import {
  isLive,
  MOVEMENTS_MAX,
  type CommandReply,
  type FeedPlace,
  type MovementFact,
  type MovementPage,
} from "@holdfast/contracts";
import { sql, type Kysely, type RawBuilder, type SqlBool } from "kysely";

/** A table whose rows move money, with the table of their changes. */
export type MovementTable<Row> = {
  name: string;
  /** Column of the id, in both. */
  id: string;
  history: string;
  /** SQL for the changes that belong to the feed, in the terms of its index; undefined if all do. */
  moving?: RawBuilder<SqlBool>;
  /** The columns that are read of a row. */
  columns: RawBuilder<Row>;
};

/**
 * A page of a feed of movements. Changes are read up to the oldest transaction that has not ended: a later
 * commit has this number or a higher one, so nothing is missing before a page's place.
 *
 * @param factOf returns undefined for a row that is no movement yet.
 */
export async function readMovements<Row>(
  db: Pick<Kysely<never>, "getExecutor">,
  table: MovementTable<Row>,
  { after }: { after?: FeedPlace | undefined },
  factOf: (row: Row) => MovementFact | undefined,
): Promise<CommandReply<MovementPage>> {
  const { rows: snapshot } = await SNAPSHOT.execute(db);
  const { feed, running, unbegun } = snapshot[0]!;
  if (after && after.feed !== feed) return { outcome: "done", result: { refused: "another_feed" } };
  if (after && BigInt(after.transaction) > BigInt(running))
    return { outcome: "done", result: { refused: "ahead" } };
  const place = after ?? { feed, of: "rows", transaction: running, id: BEFORE_ALL };
  // Nothing can have changed before the oldest transaction that has not ended.
  const isRead = place.of === "changes" && place.transaction === running;
  const page = place.of === "rows" ? rowsAfter(table, place) : changesAfter(table, place, running);
  const rows = isRead ? [] : (await page.execute(db)).rows;
  const facts = new Map(
    rows
      .flatMap((row) => factOf(row) ?? [])
      .filter(({ merchantId }) => isLive(merchantId))
      .map((fact) => [fact.id, fact]),
  );
  const next = nextPlace(place, rows, running);
  const isLast = place.of === "changes" && rows.length < MOVEMENTS_MAX;
  return { outcome: "done", result: { facts: [...facts.values()], next, isLast, unbegun } };
}

/**
 * The cluster and its database, which no copy of the rows has in common. Transactions are numbered for a cluster, and
 * a dump keeps the numbers of the one that it was made from.
 */
const SNAPSHOT = sql<{ feed: string; running: string; unbegun: string }>`
  select system_identifier || '.' || (select oid from pg_database where datname = current_database()) as feed,
    pg_snapshot_xmin(snapshot)::text as running, pg_snapshot_xmax(snapshot)::text as unbegun
  from pg_control_system(), pg_current_snapshot() as snapshot`;

const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

type Placed = { at_transaction: string; at_id: string };

function rowsAfter<Row>(
  { name, id, columns }: MovementTable<Row>,
  place: FeedPlace,
): RawBuilder<Placed & Row> {
  const key = sql.ref(`${name}.${id}`);
  return sql<Placed & Row>`
    select ${place.transaction} as at_transaction, ${key} as at_id, ${columns} from ${sql.table(name)}
    where ${key} > ${place.id} order by ${key} limit ${MOVEMENTS_MAX}`;
}

function changesAfter<Row>(
  { name, id, history, moving, columns }: MovementTable<Row>,
  place: FeedPlace,
  running: string,
): RawBuilder<Placed & Row> {
  return sql<Placed & Row>`
    select changed.xact_id::text as at_transaction, changed.id as at_id, ${columns}
    from (
      select xact_id, ${sql.ref(id)} as id from ${sql.table(history)}
      where (xact_id, ${sql.ref(id)}) > (${place.transaction}::xid8, ${place.id}::uuid) and xact_id < ${running}::xid8
        ${moving ? sql`and ${moving}` : sql``}
      order by xact_id, ${sql.ref(id)} limit ${MOVEMENTS_MAX}
    ) as changed join ${sql.table(name)} on ${sql.ref(`${name}.${id}`)} = changed.id
    order by changed.xact_id, changed.id`;
}

function nextPlace(place: FeedPlace, rows: readonly Placed[], running: string): FeedPlace {
  const last = rows.length < MOVEMENTS_MAX ? undefined : rows.at(-1);
  if (last) return { ...place, transaction: last.at_transaction, id: last.at_id };
  return {
    ...place,
    of: "changes",
    transaction: place.of === "rows" ? place.transaction : running,
    id: BEFORE_ALL,
  };
}
