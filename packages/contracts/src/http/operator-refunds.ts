import { z } from "zod";
import { textSchema } from "../text.ts";
import { apiPaymentResponseSchema } from "./api-payment-response.ts";
import { BODY_PROBLEMS, defineEndpoint, pathId } from "./endpoint.ts";
import { pageQuery } from "./operator-payments.ts";
import { refundRequestSchema } from "./refund.ts";

/**
 * What the queue can be narrowed to. Merchants see PENDING_APPROVAL until a refund has ended; here that is what waits
 * for a decision, and EXECUTING is what has been decided and has not ended.
 */
export const REFUND_FILTERS = ["PENDING_APPROVAL", "EXECUTING", "SUCCESS", "FAILED", "REJECTED"] as const;
export type RefundFilter = (typeof REFUND_FILTERS)[number];

const approvalSchema = z.object({
  operator: z.string(),
  note: z.string().optional(),
  at: z.iso.datetime(),
});

/** A refund as operators see it: the merchant's record, and what the gateway knows beside it. */
export const operatorRefundSchema = apiPaymentResponseSchema
  .extend({
    refundId: z.uuid().meta({ description: "Id of the refund; merchants see it as `paymentId`" }),
    merchantId: z.uuid(),
    state: z.string().meta({
      description:
        "Internal state; merchants see EXECUTING, SETTLING, FAILING and REJECTING as PENDING_APPROVAL",
    }),
    ageSeconds: z.int().meta({ description: "Seconds since the refund was requested" }),
    remainingRefundableAmount: z
      .number()
      .optional()
      .meta({
        description:
          "Amount of the payment that remains after this and all other refunds; absent while it cannot be " +
          "determined",
      }),
    approvals: z.int(),
    approvalsRequired: z.int(),
    approvedBy: z.array(approvalSchema),
    requestedBy: z
      .string()
      .optional()
      .meta({ description: "Operator who requested the refund on the merchant's behalf" }),
    requestReason: z.string().optional(),
    rejectedBy: z.string().optional(),
    rejectionReason: z.string().optional(),
    overdue: z.boolean().meta({
      description:
        "Whether the refund has been executing for more than 24 hours and operators have to look at it",
    }),
    attempts: z.int().meta({ description: "Number of recovery attempts in this state" }),
    lastInquiry: z
      .string()
      .optional()
      .meta({ description: "Result of the last recovery attempt", examples: ["timeout"] }),
    nextAttemptAt: z.iso.datetime().optional(),
  })
  .meta({ id: "OperatorRefund" });
export type OperatorRefund = z.infer<typeof operatorRefundSchema>;

export const operatorRefundDetailSchema = operatorRefundSchema
  .extend({
    history: z.array(
      z.object({
        version: z.int(),
        from: z.string(),
        to: z.string(),
        cause: z.string(),
        at: z.iso.datetime(),
      }),
    ),
  })
  .meta({ id: "OperatorRefundDetail" });
export type OperatorRefundDetail = z.infer<typeof operatorRefundDetailSchema>;

export const operatorRefundPageSchema = z
  .object({ items: z.array(operatorRefundSchema), nextCursor: z.string().optional() })
  .meta({ id: "OperatorRefundPage" });

const refundPath = z.object({ refundId: pathId });

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

export const getOperatorRefund = defineEndpoint({
  operationId: "getOperatorRefund",
  listener: "operator",
  method: "GET",
  path: "/operator/refunds/{refundId}",
  role: "viewer",
  summary: "Get a refund",
  description: "Returns a refund of any merchant with its history.",
  pathParameters: refundPath,
  notFound: "refund_not_found",
  responses: { 200: { description: "The refund", body: operatorRefundDetailSchema } },
  problems: ["refund_not_found", "forbidden"],
});

const decided = { 200: { description: "The refund as it is now", body: operatorRefundDetailSchema } };
const decisionProblems = [
  ...BODY_PROBLEMS,
  "refund_not_found",
  "refund_already_decided",
  "outcome_unknown",
  "forbidden",
] as const;

export const approveOperatorRefund = defineEndpoint({
  operationId: "approveRefund",
  listener: "operator",
  method: "POST",
  path: "/operator/refunds/{refundId}/approve",
  role: "approver",
  summary: "Approve a refund",
  description:
    "Approves a refund, which is then carried out at the bank; the answer may come before the bank's. Above the " +
    "configured amount two different people have to approve. The person who requested the refund cannot " +
    "approve it.",
  pathParameters: refundPath,
  notFound: "refund_not_found",
  request: z.object({ note: textSchema(1, 1_000).optional() }).meta({ id: "ApproveRefundRequest" }),
  bodyOptional: true,
  responses: decided,
  problems: [...decisionProblems, "same_person", "already_approved_by_you"],
});

export const rejectOperatorRefund = defineEndpoint({
  operationId: "rejectRefund",
  listener: "operator",
  method: "POST",
  path: "/operator/refunds/{refundId}/reject",
  work: "write",
  role: "approver",
  summary: "Reject a refund",
  description: "Rejects a refund and makes its amount refundable again.",
  pathParameters: refundPath,
  notFound: "refund_not_found",
  request: z
    .object({ reason: textSchema(1, 200).meta({ description: "Shown to the merchant as `resultMessage`" }) })
    .meta({ id: "RejectRefundRequest" }),
  responses: decided,
  problems: decisionProblems,
});

export const requestOperatorRefund = defineEndpoint({
  operationId: "requestRefundForMerchant",
  listener: "operator",
  method: "POST",
  path: "/operator/payments/{paymentId}/refunds",
  work: "write",
  role: "admin",
  summary: "Request a refund for a merchant",
  description: "Requests a refund on the merchant's behalf. A different person must approve it.",
  pathParameters: z.object({ paymentId: pathId }),
  notFound: "payment_not_found",
  request: refundRequestSchema
    .extend({ reason: textSchema(1, 1_000) })
    .meta({ id: "RequestRefundForMerchantRequest" }),
  responses: {
    202: {
      description: "Accepted; the refund waits for approval",
      body: operatorRefundDetailSchema,
      headers: { Location: "/operator/refunds/{refundId}" },
    },
  },
  problems: [
    ...BODY_PROBLEMS,
    "payment_not_found",
    "payment_not_refundable",
    "refund_amount_exceeds_remaining",
    "currency_mismatch",
    "operation_in_progress",
    "outcome_unknown",
    "forbidden",
  ],
});

export const REFUND_OPERATOR_ENDPOINTS = [
  listOperatorRefunds,
  getOperatorRefund,
  approveOperatorRefund,
  rejectOperatorRefund,
  requestOperatorRefund,
];
