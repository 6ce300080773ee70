import { randomUUID } from "node:crypto";
import { DROP_INDEXES, MAKE_INDEXES } from "./fill-indexes.ts";
import {
  FILL_ALONE,
  FILL_CHARGEBACKS,
  FILL_PAYMENTS,
  FILL_REFUNDS,
  FILL_SETTLEMENT,
  FILL_WEBHOOKS,
  MAKE_DRAWN,
} from "./fill-statements.ts";

/** As the superuser: what is inserted here nobody could pay. */
type Query = (text: string, values?: unknown[]) => Promise<unknown>;

export type YearsToFill = {
  /** Whole thousands. */
  payments: number;
  /** Over so many days up to an hour ago they are spread evenly. */
  days: number;
  /** The first has most of the payments, as one always has; the others share the rest. */
  merchantIds?: readonly string[];
  /** How many tenths of the payments the first merchant has. */
  largestTenths?: number;
  /** Of how many payments one was charged back. */
  chargedBackEvery?: 50 | 10;
  /** Makes the indexes once all rows are there, which takes a fraction of the time; nobody else may use the database. */
  indexesLast?: boolean;
};

/**
 * Fills every table that grows with payments as years of use would have left it: all is settled, confirmed, delivered and
 * compared with the bank, a third are captured authorizations, a fifth were paid at a checkout, a third with 3-D Secure, a
 * twentieth refunded, a fiftieth charged back (or more). What a retention ends is there only as far as it is kept.
 */
export async function fillYears(
  query: Query,
  {
    payments,
    days,
    merchantIds = [randomUUID(), randomUUID(), randomUUID()],
    largestTenths = 9,
    chargedBackEvery = 50,
    indexesLast = false,
  }: YearsToFill,
): Promise<void> {
  await query("set session_replication_role = replica; set synchronous_commit = off");
  await query("set search_path = public; set jit = off");
  for (const statement of FILL_ALONE) await query(statement.replaceAll(":days", String(days)));
  if (indexesLast) await query(DROP_INDEXES);
  const batch = Math.min(payments, BATCH);
  for (let done = 0; done < payments; done += batch) {
    await query(MAKE_DRAWN, [batch, done, payments, days, merchantIds, largestTenths, chargedBackEvery]);
    for (const statement of FILL_BATCH) await query(statement);
    await query("drop table drawn");
  }
  if (indexesLast) await query(MAKE_INDEXES);
  await query("reset session_replication_role; reset synchronous_commit; reset search_path; reset jit");
  await query("vacuum (analyze)");
}

const BATCH = 100_000;
const FILL_BATCH = [
  ...FILL_PAYMENTS,
  ...FILL_CHARGEBACKS,
  ...FILL_REFUNDS,
  ...FILL_WEBHOOKS,
  ...FILL_SETTLEMENT,
];
