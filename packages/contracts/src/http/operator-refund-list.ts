import { z } from "zod";
import { defineEndpoint } from "./endpoint.ts";
import { pageQuery } from "./list-query.ts";
import { operatorRefundSchema } from "./operator-refunds.ts";

/**
 * What the queue can be narrowed to. Merchants see PENDING_APPROVAL until a refund has ended; here that is what waits
 * for a decision, and EXECUTING is what has been decided and has not ended.
 */
export const REFUND_FILTERS = ["PENDING_APPROVAL", "EXECUTING", "SUCCESS", "FAILED", "REJECTED"] as const;
export type RefundFilter = (typeof REFUND_FILTERS)[number];

export const operatorRefundPageSchema = z
  .object({ items: z.array(operatorRefundSchema), nextCursor: z.string().optional() })
  .meta({ id: "OperatorRefundPage" });

export const listOperatorRefunds = defineEndpoint({
  operationId: "listRefunds",
  listener: "operator",
  method: "GET",
  path: "/operator/refunds",
  role: "viewer",
  summary: "List refunds",
  description: "Returns the refunds of all merchants, oldest first.",
  queryParameters: z.object({
    status: z.enum(REFUND_FILTERS, { error: `must be one of ${REFUND_FILTERS.join(", ")}` }).optional(),
    merchantId: z.uuid({ error: "must be a merchant's id" }).optional(),
    ...pageQuery,
  }),
  responses: { 200: { description: "One page of refunds", body: operatorRefundPageSchema } },
  problems: ["validation_failed", "forbidden"],
});
