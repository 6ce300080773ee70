import { join } from "node:path";
import type { AuditDatabase } from "@holdfast/audit";
import { sql, type Kysely } from "kysely";
import { withRole } from "../database/with-role.ts";
import { readArchived, readManifest } from "./archive-files.ts";
import { valuesOf } from "./archive-month.ts";
import { ARCHIVED } from "./archived-tables.ts";

/** A customer of a merchant, under each of the ids that the merchant's rows have. */
export type ArchivedCustomer = { merchantIds: readonly string[]; customerId: string };

/** Archived months that may still have rows of a customer. */
export type InArchives = {
  /** Months that have payments of the customer, like `2025-01`. */
  found: string[];
  /** Months that are not in the directory. */
  unread: string[];
};

/**
 * Looks for a customer in the months that have left the database. An erasure does not reach their files.
 *
 * @param parent where months are archived; undefined reads none.
 * @throws ArchiveDamagedError where a file is not what was archived.
 */
export async function findInArchives(
  db: Kysely<AuditDatabase>,
  customer: ArchivedCustomer,
  parent: string | undefined,
): Promise<InArchives> {
  const result: InArchives = { found: [], unread: [] };
  for (const month of await monthsAway(db)) {
    const has = parent === undefined ? undefined : await hasCustomer(join(parent, month), customer);
    if (has === undefined) result.unread.push(month);
    else if (has) result.found.push(month);
  }
  return result;
}

/** Reads the audit log: each batch that left or came back has an entry, committed with it. */
async function monthsAway(db: Kysely<AuditDatabase>): Promise<string[]> {
  return await db.transaction().execute(async (trx) => {
    await withRole(trx, "payments");
    const { rows } = await sql<{ month: string }>`
      select subject as month from audit_entry where action in ('payments.archived', 'payments.attached')
      group by subject
      having sum((detail::jsonb ->> 'payments')::int * case action when 'payments.archived' then 1 else -1 end) > 0
      order by subject`.execute(trx);
    return rows.map(({ month }) => month);
  });
}

const NAMING = ARCHIVED.filter(({ name }) => name === "payment" || name === "refund");
const ROWS_AT_A_TIME = 1_000;

/** @returns undefined if there is no archive. */
async function hasCustomer(
  directory: string,
  { merchantIds, customerId }: ArchivedCustomer,
): Promise<boolean | undefined> {
  const manifest = await readManifest(directory);
  if (!manifest) return undefined;
  for (const table of NAMING) {
    const reader = readArchived(directory, manifest, table);
    for (;;) {
      const rows = await reader.takeWhile(() => true, ROWS_AT_A_TIME);
      if (rows.length === 0) break;
      const merchants = valuesOf(rows, reader.columns, "merchant_id");
      const customers = valuesOf(rows, reader.columns, "customer_id");
      if (customers.some((id, index) => id === customerId && merchantIds.includes(merchants[index]!)))
        return true;
    }
  }
  return false;
}
