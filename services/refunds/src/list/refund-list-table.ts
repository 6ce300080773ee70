import type { ListTable } from "@holdfast/lists";
import { msSince } from "@holdfast/postgres";
import { sql, type SqlBool } from "kysely";

/** The status that merchants see (`merchantStatus`), in the words of the index `refund_of_status`. */
const status = sql<string>`(case when state in ('EXECUTING', 'SETTLING', 'FAILING', 'REJECTING') then 'PENDING_APPROVAL' else state end)`;

export const REFUNDS: ListTable = {
  name: "refund",
  id: "refund_id",
  status,
  transactionType: sql<string>`'REFUND'`,
  // A RESERVING refund was never shown.
  shown: sql<SqlBool>`state <> 'RESERVING'`,
  columns: sql`refund.*`,
  hasStatusIndex: ({ merchantId }) => merchantId !== undefined,
};

/**
 * The list with the columns that only operators see. Its status distinguishes refunds that wait for a
 * decision from refunds that are carried out. It is only compared here, since a list of one status alone is a
 * queue.
 */
export const OPERATORS_REFUNDS: ListTable = {
  ...REFUNDS,
  status: sql<string>`(case when state in ('EXECUTING', 'SETTLING', 'FAILING', 'REJECTING') then 'EXECUTING' else state end)`,
  hasStatusIndex: () => false,
  columns: sql`refund.*, ${msSince("created_at")} as age_ms, ${msSince("state_since")} as state_age_ms,
    resolution.outcome as resolution_outcome, resolution.evidence as resolution_evidence,
    resolution.proposed_by as resolution_proposed_by, resolution.proposed_at as resolution_proposed_at`,
  joins: sql`left join refund_resolution as resolution on resolution.refund_id = refund.refund_id`,
};
