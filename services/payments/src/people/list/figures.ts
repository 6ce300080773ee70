import { amountToJson, FIGURE_DAYS, type CommandReply, type Figures } from "@holdfast/contracts";
import { ofMode } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { IS_APPROVED, IS_DECLINED, IS_SOLD } from "./counted-payments.ts";

/** The payments of one hour, currency and account. */
type Group = {
  days_ago: number;
  hour: number;
  currency: string;
  currency_exponent: number;
  account_id: string;
  account_name: string;
  payments: number;
  amount: string;
  amount_by_now: string;
  approved: number;
  declined: number;
};

type Scope = { merchantId?: string | undefined; livemode: boolean };

/** Sums of all payments of today and of the days it is compared with. */
export async function figuresOf(db: Kysely<PaymentsDatabase>, scope: Scope): Promise<CommandReply<Figures>> {
  const { at, openDisputes } = await countDisputes(db, scope);
  const { rows } = await groups(at, scope).execute(db);
  const days = FIGURE_DAYS.map((daysAgo) => ({
    day: new Date(at.getTime() - daysAgo * DAY_MS).toISOString().slice(0, 10),
    volumes: volumesOf(rows.filter((row) => row.days_ago === daysAgo && row.payments > 0)),
  }));
  const today = rows.filter(({ days_ago }) => days_ago === 0);
  const accounts = accountsOf(today);
  return { outcome: "done", result: { at: at.toISOString(), days, accounts, openDisputes } };
}

const DAY_MS = 86_400_000;

/**
 * Reads each day by itself: the index on the time finds its rows. Days are counted in hours,
 * since the database takes a day off in its own time zone.
 */
function groups(at: Date, scope: Scope) {
  return sql<Group>`
    select days_ago, extract(hour from created_at at time zone 'UTC')::integer as hour,
      currency, currency_exponent, account_id,
      (select name from acquirer_account where acquirer_account.account_id = payment.account_id) as account_name,
      count(*) filter (where ${IS_SOLD})::integer as payments,
      coalesce(sum(amount_minor) filter (where ${IS_SOLD}), 0)::text as amount,
      coalesce(sum(amount_minor) filter (
        where ${IS_SOLD} and created_at < ${at}::timestamptz - make_interval(hours => 24 * days_ago)), 0)::text as amount_by_now,
      count(*) filter (where ${IS_APPROVED})::integer as approved,
      count(*) filter (where ${IS_DECLINED})::integer as declined
    from unnest(${[...FIGURE_DAYS]}::integer[]) as days_ago
    join payment on created_at >= date_trunc('day', ${at}::timestamptz, 'UTC') - make_interval(hours => 24 * days_ago)
      and created_at < date_trunc('day', ${at}::timestamptz, 'UTC') - make_interval(hours => 24 * (days_ago - 1))
    where ${own(scope)}
    group by 1, 2, 3, 4, 5`;
}

function own({ merchantId, livemode }: Scope) {
  return merchantId === undefined
    ? ofMode("merchant_id", livemode)
    : sql<boolean>`merchant_id = ${merchantId}`;
}

/** Counts the disputes, and reads the time that determines the days. */
async function countDisputes(
  db: Kysely<PaymentsDatabase>,
  scope: Scope,
): Promise<{ at: Date; openDisputes: Figures["openDisputes"] }> {
  const { at, count, oldest } = await db
    .selectFrom("chargeback")
    .select((eb) => [
      sql<Date>`now()`.as("at"),
      eb.fn.countAll<string>().as("count"),
      eb.fn.min("created_at").as("oldest"),
    ])
    .where("status", "=", "OPEN")
    .where(own(scope))
    .executeTakeFirstOrThrow();
  return { at, openDisputes: { count: Number(count), ...(oldest && { oldestAt: oldest.toISOString() }) } };
}

function volumesOf(rows: readonly Group[]): Figures["days"][number]["volumes"] {
  return [...Map.groupBy(rows, ({ currency }) => currency)]
    .map(([currency, of]) => ({
      currency,
      ...sumOf(of),
      amountByNow: total(of, ({ amount_by_now }) => amount_by_now),
      hours: [...Map.groupBy(of, ({ hour }) => hour)]
        .map(([hour, ofHour]) => ({ hour, ...sumOf(ofHour) }))
        .toSorted((one, other) => one.hour - other.hour),
    }))
    .toSorted((one, other) => other.payments - one.payments);
}

function sumOf(rows: readonly Group[]): { payments: number; amount: number } {
  return { payments: count(rows, ({ payments }) => payments), amount: total(rows, ({ amount }) => amount) };
}

/** Adds amounts of one currency up in its minor units, which are exact. */
function total(rows: readonly Group[], of: (row: Group) => string): number {
  const minor = rows.reduce((sum, row) => sum + BigInt(of(row)), 0n);
  return amountToJson(minor, rows[0]!.currency_exponent);
}

function count(rows: readonly Group[], of: (row: Group) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}

function accountsOf(rows: readonly Group[]): Figures["accounts"] {
  return [...Map.groupBy(rows, ({ account_id }) => account_id)]
    .map(([accountId, of]) => ({
      accountId,
      name: of[0]!.account_name,
      approved: count(of, ({ approved }) => approved),
      declined: count(of, ({ declined }) => declined),
    }))
    .filter(({ approved, declined }) => approved + declined > 0);
}
