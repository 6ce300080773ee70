import { randomUUID } from "node:crypto";
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
  /** The first has nine of ten payments, as one always has; the others share the rest. */
  merchantIds?: readonly string[];
};

/**
 * Fills every table that grows with payments as years of use would have left it: all is settled, confirmed, delivered and
 * compared with the bank, a third are captured authorizations, a fifth were paid at a checkout, a third with 3-D Secure, a
 * twentieth refunded, a fiftieth charged back. What a retention ends is there only as far as it is kept.
 */
export async function fillYears(
  query: Query,
  { payments, days, merchantIds = [randomUUID(), randomUUID(), randomUUID()] }: YearsToFill,
): Promise<void> {
  await query("set session_replication_role = replica; set synchronous_commit = off");
  await query("set search_path = public; set jit = off");
  for (const statement of FILL_ALONE) await query(statement.replaceAll(":days", String(days)));
  const batch = Math.min(payments, BATCH);
  for (let done = 0; done < payments; done += batch) {
    await query(MAKE_DRAWN, [batch, done, payments, days, merchantIds]);
    for (const statement of FILL_BATCH) await query(statement);
    await query("drop table drawn");
  }
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
