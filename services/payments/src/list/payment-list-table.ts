import type { ListTable } from "@holdfast/lists";
import { sql } from "kysely";
import { lastOperation } from "../payment/payment-queries.ts";

/** What merchants see of a state (`merchantStatus`), in the words of the index `payment_of_status`. */
const status = sql<string>`(case when state in ('ENROLLING', 'AUTHORIZING', 'REVERSING', 'CANCELLING') then 'ENROLLED' else state end)`;

export const PAYMENTS: ListTable = {
  name: "payment",
  id: "payment_id",
  status,
  transactionType: sql<string>`transaction_type`,
  columns: sql`payment.*, ${lastOperation()} as operation`,
  hasStatusIndex: ({ merchantId }) => merchantId !== undefined,
};
