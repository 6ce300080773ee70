import { fromNow, msUntilFirst } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { endOfDay } from "./statement-queries.ts";

/** The statements of a merchant in one currency. */
export type StatementsOfOne = { merchantId: string; currency: string };

/** Changes of one merchant's statements in one currency, leased by this process. */
export type LeasedChanges = StatementsOfOne & { changeIds: string[]; days: string[] };

/**
 * True while a file is being compared: its lines are entering statements, which could look complete for a
 * moment. A file that cannot be compared delays nothing for longer than this interval.
 */
const IS_COMPARING = sql<boolean>`exists (
  select from import where state = 'TAKEN' and matched_at is null and ended_at > now() - interval '10 minutes')`;

/**
 * The milliseconds until {@link leaseChanges} can lease something, undefined if it cannot; and the time for
 * which the oldest change, or the end of a day, has waited.
 */
export async function measureChanges(
  db: Kysely<SettlementDatabase>,
): Promise<{ dueInMs: number | undefined; oldestAgeMs: number }> {
  // The ids are UUIDv7, so that the first is the oldest.
  const { rows } = await sql<{ in_ms: number | null; oldest_age_ms: number | null }>`
    select
      (select ${msUntilFirst("look_at")} from statement_change where not ${IS_COMPARING}) as in_ms,
      extract(epoch from now() - least(
        (select uuid_extract_timestamp(change_id) from statement_change where not_before is null order by change_id limit 1),
        (select not_before from statement_change where not_before <= now() order by not_before limit 1)
      ))::float8 * 1000 as oldest_age_ms`.execute(db);
  const { in_ms, oldest_age_ms } = rows[0]!;
  return { dueInMs: in_ms ?? undefined, oldestAgeMs: oldest_age_ms ?? 0 };
}

/**
 * Leases changes, of one merchant and currency after another, longest-waiting first. Any number of processes
 * may do so. Work that is unfinished when its lease ends is repeated by another process, without further
 * effect.
 */
export async function leaseChanges(
  db: Kysely<SettlementDatabase>,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<LeasedChanges[]> {
  const leased: LeasedChanges[] = [];
  while (leased.length < limit) {
    const changes = await leaseFirst(db, leaseMs);
    if (!changes) break;
    leased.push(changes);
  }
  return leased;
}

async function leaseFirst(
  db: Kysely<SettlementDatabase>,
  leaseMs: number,
): Promise<LeasedChanges | undefined> {
  const { rows } = await sql<{
    change_id: string;
    merchant_id: string;
    currency: string;
    day: string | null;
  }>`
    with first as (
      select merchant_id, currency from statement_change where look_at <= now() and not ${IS_COMPARING}
      order by look_at limit 1 for update skip locked
    ), theirs as (
      select change_id from statement_change as change, first
      where change.merchant_id = first.merchant_id and change.currency = first.currency and look_at <= now()
      order by look_at limit ${CHANGES_MAX} for update of change skip locked
    )
    update statement_change as change set look_at = ${fromNow(leaseMs)} from theirs
    where change.change_id = theirs.change_id
    returning change.change_id, merchant_id, currency, day::text as day`.execute(db);
  const [first] = rows;
  if (!first) return undefined;
  const days = new Set(rows.flatMap(({ day }) => day ?? []));
  return {
    merchantId: first.merchant_id,
    currency: first.currency,
    changeIds: rows.map(({ change_id }) => change_id),
    days: [...days].toSorted(),
  };
}

const CHANGES_MAX = 1_000;

/** Schedules a look at the days that are not over for when they are: a complete statement may have changed before. */
export async function planDays(
  db: Kysely<SettlementDatabase>,
  { merchantId, currency }: StatementsOfOne,
  days: readonly string[],
): Promise<void> {
  if (days.length === 0) return;
  await sql`
    insert into statement_change (merchant_id, currency, day, not_before, look_at)
    select ${merchantId}, ${currency}, day, ends_at, ends_at
    from unnest(${days}::date[]) as day cross join lateral (select ${endOfDay(sql`day`)} as ends_at) as ended
    where ends_at > now()
    on conflict (merchant_id, currency, day) where not_before is not null do nothing`.execute(db);
}

/** Ends the changes whose statements were looked at. */
export async function endChanges(
  db: Kysely<SettlementDatabase>,
  { changeIds }: Pick<LeasedChanges, "changeIds">,
): Promise<void> {
  await sql`delete from statement_change where change_id = any(${changeIds}::uuid[])`.execute(db);
}
