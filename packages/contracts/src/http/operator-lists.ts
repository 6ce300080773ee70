import { z } from "zod";
import { only } from "./endpoint.ts";
import { operatorListFilterSchema } from "./list-filter.ts";
import { merchantName } from "./merchant-name.ts";
import { operatorPaymentSchema } from "./operator-payments.ts";
import { operatorRefundSchema } from "./operator-refunds.ts";

export const listedOperatorPaymentSchema = operatorPaymentSchema
  .extend({ merchantName })
  .meta({ id: "ListedOperatorPayment", description: "A payment with its merchant's name" });

export const listedOperatorRefundSchema = operatorRefundSchema
  .extend({ merchantName })
  .meta({ id: "ListedOperatorRefund", description: "A refund with its merchant's name" });

/**
 * The states that refunds can be narrowed to. Merchants see PENDING_APPROVAL until a refund has ended; here it means
 * waiting for a decision, and EXECUTING means decided and not ended.
 */
export const REFUND_FILTERS = ["PENDING_APPROVAL", "EXECUTING", "SUCCESS", "FAILED", "REJECTED"] as const;

export type RefundFilter = (typeof REFUND_FILTERS)[number];

export const operatorRefundFilterSchema = operatorListFilterSchema
  .omit({ transactionType: true, accountId: true, sold: true, answered: true })
  .extend({
    status: only(
      "this status",
      z.enum(REFUND_FILTERS, { error: `must be one of ${REFUND_FILTERS.join(", ")}` }),
    ),
  });

export type OperatorRefundFilter = z.infer<typeof operatorRefundFilterSchema>;

/** True if a search is for the refunds of one state and nothing else, which is a queue that people work off. */
export function isRefundQueue({ status, merchantId: _merchantId, ...more }: OperatorRefundFilter): boolean {
  return status !== undefined && Object.values(more).every((value) => value === undefined);
}
