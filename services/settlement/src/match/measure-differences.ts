import { DIFFERENCE_CLASSES } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";

/** Open differences, by the work that they need. */
export const DIFFERENCE_KINDS = ["movement", "unreadable", "payout"] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** Differences that nobody has closed: how many, up to {@link COUNTED_MAX}, and how long the oldest has been open. */
export type OpenDifferences = Record<DifferenceKind, { open: number; oldestAgeMs: number }>;

const COUNTED_MAX = 1_000;

/** Reads by the index on open differences alone, however many there are and were. */
export async function measureDifferences(db: Kysely<SettlementDatabase>): Promise<OpenDifferences> {
  const { rows } = await sql<{ kind: DifferenceKind; open: number; age_ms: number | null }>`
    select kind, sum(open)::int as open, max(age_ms)::float8 as age_ms
    from (
      select class, case
          when class = 'UNREADABLE' then 'unreadable' when class in ('PAYOUT_DIFFERS', 'PAYOUT_MISSING') then 'payout'
          else 'movement' end as kind
      from unnest(${[...DIFFERENCE_CLASSES]}::text[]) as class
    ) as classes cross join lateral (
      select count(*) as open from (
        select from difference where difference.class = classes.class and state in ('OPEN', 'PROPOSED') limit ${COUNTED_MAX}
      ) as theirs
    ) as counted left join lateral (
      -- The ids are UUIDv7, so that the first is the oldest.
      select extract(epoch from now() - uuid_extract_timestamp(difference_id)) * 1000 as age_ms from difference
      where difference.class = classes.class and state in ('OPEN', 'PROPOSED')
      order by difference_id limit 1
    ) as oldest on true
    group by kind`.execute(db);
  const measured = rows.map(({ kind, open, age_ms }) => [kind, { open, oldestAgeMs: age_ms ?? 0 }]);
  return Object.fromEntries(measured) as OpenDifferences;
}

/** The milliseconds for which the oldest file has waited for a second person; 0 if none waits. */
export async function measureUnconfirmed(db: Kysely<SettlementDatabase>): Promise<number> {
  const { rows } = await sql<{ age_ms: number }>`
    select coalesce(extract(epoch from now() - min(created_at)) * 1000, 0)::float8 as age_ms
    from import where state = 'PROPOSED'`.execute(db);
  return rows[0]!.age_ms;
}
