import type { ListTable } from "@holdfast/lists";
import { msSince } from "@holdfast/postgres";
import { sql } from "kysely";
import { lastOperation } from "../../payment/payment-queries.ts";
import { IS_APPROVED, IS_DECLINED, IS_SOLD } from "./counted-payments.ts";

/** The status that merchants see (`merchantStatus`), in the words of the index `payment_of_status`. */
const status = sql<string>`(case when state in ('ENROLLING', 'AUTHORIZING', 'REVERSING', 'CANCELLING') then 'ENROLLED' else state end)`;

export const PAYMENTS: ListTable = {
  name: "payment",
  id: "payment_id",
  status,
  transactionType: sql<string>`transaction_type`,
  sold: sql<string>`(case when ${IS_SOLD} then 'true' end)`,
  answered: sql<string>`(case when ${IS_APPROVED} or ${IS_DECLINED} then 'true' end)`,
  columns: sql`payment.*, ${lastOperation()} as operation`,
  hasStatusIndex: ({ merchantId }) => merchantId !== undefined,
};

/** The list with the columns that only operators see. */
export const OPERATORS_PAYMENTS: ListTable = {
  ...PAYMENTS,
  columns: sql`payment.*, ${lastOperation()} as operation, ${msSince("created_at")} as age_ms,
    resolution.outcome as resolution_outcome, resolution.evidence as resolution_evidence,
    resolution.proposed_by as resolution_proposed_by, resolution.proposed_at as resolution_proposed_at`,
  joins: sql`left join payment_resolution as resolution on resolution.payment_id = payment.payment_id`,
};
