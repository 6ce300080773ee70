import type { ListTable } from "@holdfast/lists";
import { sql, type SqlBool } from "kysely";

/** What merchants see of a state (`merchantStatus`), in the words of the index `refund_of_status`. */
const status = sql<string>`(case when state in ('EXECUTING', 'SETTLING', 'FAILING', 'REJECTING') then 'PENDING_APPROVAL' else state end)`;

export const REFUNDS: ListTable = {
  name: "refund",
  id: "refund_id",
  status,
  transactionType: sql<string>`'REFUND'`,
  // What was never shown.
  shown: sql<SqlBool>`state <> 'RESERVING'`,
  columns: sql`refund.*`,
  hasStatusIndex: ({ merchantId }) => merchantId !== undefined,
};
