import { z } from "zod";
import { livemodeParameter } from "../livemode.ts";
import { defineEndpoint, only } from "./endpoint.ts";
import { operatorListFilterSchema } from "./list-filter.ts";
import { exportQuery, pageOf, pageQuery } from "./list-query.ts";
import { operatorPaymentSchema } from "./operator-payments.ts";
import { operatorRefundSchema } from "./operator-refunds.ts";

/** A field that the gateway adds to the services' records. */
const merchantName = z.string().optional().meta({ description: "Name of the merchant" });

export const listedOperatorPaymentSchema = operatorPaymentSchema
  .extend({ merchantName })
  .meta({ id: "ListedOperatorPayment", description: "A payment with its merchant's name" });
export const listedOperatorRefundSchema = operatorRefundSchema
  .extend({ merchantName })
  .meta({ id: "ListedOperatorRefund", description: "A refund with its merchant's name" });

const listedPaymentsSchema = pageOf(
  listedOperatorPaymentSchema,
  "newest first; unresolved ones oldest first",
).meta({ id: "ListedOperatorPayments" });

const listedRefundsSchema = pageOf(listedOperatorRefundSchema, "newest first; a queue oldest first").meta({
  id: "ListedOperatorRefunds",
});

const RANGE_RULE =
  "A search that no index answers needs `from` and `to`, at most 31 days apart. With `Accept: text/csv` or " +
  "`application/x-ndjson` all matching rows come in one answer, whose last line has their number.";

export const listOperatorPayments = defineEndpoint({
  operationId: "listPaymentsOfMerchants",
  listener: "operator",
  method: "GET",
  path: "/operator/payments",
  role: "viewer",
  summary: "List payments of all merchants",
  description:
    "Returns payments, newest first. With `unresolved=true` they are those whose outcome at the bank is unknown, oldest " +
    `first; that goes together with \`merchantId\` and \`livemode\` alone. ${RANGE_RULE}`,
  queryParameters: z.object({
    unresolved: only(
      "payments whose outcome at the bank is unknown",
      z.literal("true", { error: "must be true" }),
    ),
    ...operatorListFilterSchema.shape,
    livemode: livemodeParameter,
    ...pageQuery,
    ...exportQuery,
  }),
  responses: { 200: { description: "One page of payments", body: listedPaymentsSchema, rows: true } },
  problems: ["validation_failed", "forbidden"],
});

/**
 * The states that refunds can be narrowed to. Merchants see PENDING_APPROVAL until a refund has ended; here it means
 * waiting for a decision, and EXECUTING means decided and not ended.
 */
export const REFUND_FILTERS = ["PENDING_APPROVAL", "EXECUTING", "SUCCESS", "FAILED", "REJECTED"] as const;
export type RefundFilter = (typeof REFUND_FILTERS)[number];

export const operatorRefundFilterSchema = operatorListFilterSchema
  .omit({ transactionType: true, accountId: true })
  .extend({
    status: only(
      "this status",
      z.enum(REFUND_FILTERS, { error: `must be one of ${REFUND_FILTERS.join(", ")}` }),
    ),
  });
export type OperatorRefundFilter = z.infer<typeof operatorRefundFilterSchema>;

/** Tells whether a search is for the refunds of one state and nothing else, which is a queue that people work off. */
export function isRefundQueue({ status, merchantId: _merchantId, ...more }: OperatorRefundFilter): boolean {
  return status !== undefined && Object.values(more).every((value) => value === undefined);
}

export const listOperatorRefunds = defineEndpoint({
  operationId: "listRefunds",
  listener: "operator",
  method: "GET",
  path: "/operator/refunds",
  role: "viewer",
  summary: "List refunds",
  description:
    "Returns the refunds of all merchants, newest first. With `status`, alone or with `merchantId` and `livemode`, it is the queue of that " +
    `status, oldest first. ${RANGE_RULE}`,
  queryParameters: z.object({
    paymentId: only("refunds of this payment", z.uuid()),
    ...operatorRefundFilterSchema.shape,
    livemode: livemodeParameter,
    ...pageQuery,
    ...exportQuery,
  }),
  responses: { 200: { description: "One page of refunds", body: listedRefundsSchema, rows: true } },
  problems: ["validation_failed", "forbidden"],
});
