import { DatabaseError } from "pg";
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Logger } from "@holdfast/service-runtime";
import { isOutage } from "../postgres.ts";

/** Rows that can only be used with a key of a ring, and the column of that key. An index has to begin with `keyId`. */
export type KeyedRows = { table: RawBuilder<unknown>; keyId: RawBuilder<string>; where: RawBuilder<boolean> };

/** A key ring and everything in the database that needs one of its keys. */
export type RingInUse<DB = unknown> = {
  /** The environment variable. */
  setting: string;
  ring: KeyRing;
  /** The name of its rows in the plural, for people. */
  rowsAre: string;
  /** The rows of a small table, or how many rows need each key. */
  rows: KeyedRows[] | ((db: Kysely<DB>) => Promise<Map<string, bigint>>);
};

/** A key was taken out of a ring while rows still need it. */
export class KeyNeededError extends Error {
  override name = "KeyNeededError";
  readonly code = "key_needed";
}

/**
 * Refuses to start without a key that rows still need: otherwise they would be refused one by one, long after
 * the key was destroyed. Keys that were given up knowingly (`KEYS_ABANDONED`) are not checked. If the
 * database is unreachable, nothing can be compared, and the service starts.
 *
 * @throws KeyNeededError, or the database's error unless it is an outage.
 */
export async function refuseMissingKeys<DB>(
  db: Kysely<DB>,
  { setting, ring, rowsAre, rows }: RingInUse<DB>,
  { abandoned, log }: { abandoned: ReadonlySet<string>; log: Logger },
): Promise<void> {
  let needed: Map<string, bigint>;
  try {
    needed = await rowsByKey(db, rows, (id) => !ring.keys.has(id) && !abandoned.has(id));
  } catch (error) {
    if (error instanceof DatabaseError && !isOutage(error)) throw error;
    log.warn({ operation: "compare keys", error }, "it could not be seen whether a key is missing");
    return;
  }
  if (needed.size === 0) return;
  const missing = [...needed].map(([id, count]) => `${id}, which ${count} ${rowsAre} still need`);
  throw new KeyNeededError(
    `${setting} lacks ${missing.join("; and ")}: put it back into the list, or give it up in KEYS_ABANDONED (docs/keys.md)`,
  );
}

/** The number of rows that need each key, of those `asked` for. */
export async function rowsByKey<DB>(
  db: Kysely<DB>,
  rows: RingInUse<DB>["rows"],
  asked: (keyId: string) => boolean = () => true,
): Promise<Map<string, bigint>> {
  if (typeof rows === "function") {
    return new Map([...(await rows(db))].filter(([id]) => asked(id)));
  }
  const counts = new Map<string, bigint>();
  for (const { table, keyId, where } of rows) {
    for (const id of (await distinctKeys(db, { table, keyId, where })).filter(asked)) {
      const { rows: counted } = await sql<{ count: bigint }>`
        select count(*) from ${table} where ${where} and ${keyId} = ${id}`.execute(db);
      counts.set(id, (counts.get(id) ?? 0n) + BigInt(counted[0]?.count ?? 0));
    }
  }
  return counts;
}

/** Makes one look-up in the index for each key, since a `distinct` would read all rows. */
async function distinctKeys<DB>(db: Kysely<DB>, { table, keyId, where }: KeyedRows): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive used (id) as (
      (select ${keyId} from ${table} where ${where} order by 1 limit 1)
      union all
      select (select ${keyId} from ${table} where ${where} and ${keyId} > used.id order by 1 limit 1)
      from used where used.id is not null
    )
    select id from used where id is not null`.execute(db);
  return rows.map(({ id }) => id);
}
