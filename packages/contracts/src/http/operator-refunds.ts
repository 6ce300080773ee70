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
    refundId: z.uuid().meta({ description: "The record's own id, `paymentId` to the merchant" }),
    merchantId: z.uuid(),
    state: z.string().meta({
      description:
        "Internal state; EXECUTING, SETTLING, FAILING and REJECTING show to merchants as PENDING_APPROVAL",
    }),
    ageSeconds: z.int().meta({ description: "Since it was asked for" }),
    remainingRefundableAmount: z.number().optional().meta({
      description:
        "What remains of the payment beside this and other refunds; left out while it cannot be had",
    }),
    approvals: z.int(),
    approvalsRequired: z.int(),
    approvedBy: z.array(approvalSchema),
    requestedBy: z
      .string()
      .optional()
      .meta({ description: "The operator who asked on the merchant's behalf" }),
    requestReason: z.string().optional(),
    rejectedBy: z.string().optional(),
    rejectionReason: z.string().optional(),
    overdue: z.boolean().meta({ description: "Executing for more than 24 hours: people have to look" }),
    attempts: z.int().meta({ description: "Recovery's attempts in this state" }),
    lastInquiry: z
      .string()
      .optional()
      .meta({ description: "What the last attempt found", examples: ["timeout"] }),
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
  summary: "Refunds of all merchants, oldest first",
  queryParameters: z.object({
    status: z.enum(REFUND_FILTERS, { error: `must be one of ${REFUND_FILTERS.join(", ")}` }).optional(),
    merchantId: z.uuid({ error: "must be a merchant's id" }).optional(),
    ...pageQuery,
  }),
  responses: { 200: { description: "A page", body: operatorRefundPageSchema } },
  problems: ["validation_failed", "forbidden"],
});

export const getOperatorRefund = defineEndpoint({
  operationId: "getOperatorRefund",
  listener: "operator",
  method: "GET",
  path: "/operator/refunds/{refundId}",
  role: "viewer",
  summary: "One refund of any merchant, with its history",
  pathParameters: refundPath,
  notFound: "refund_not_found",
  responses: { 200: { description: "The refund", body: operatorRefundDetailSchema } },
  problems: ["refund_not_found", "forbidden"],
});

const decided = { 200: { description: "The refund as it stands now", body: operatorRefundDetailSchema } };
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
  summary: "Approve a refund; it is carried out at the bank",
  description:
    "The answer may come before the bank's. Above the configured amount two different people have to approve. Whoever " +
    "asked for the refund cannot approve it.",
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
  role: "approver",
  summary: "Reject a refund; its amount is free again",
  pathParameters: refundPath,
  notFound: "refund_not_found",
  request: z
    .object({ reason: textSchema(1, 200).meta({ description: "Told to the merchant as `resultMessage`" }) })
    .meta({ id: "RejectRefundRequest" }),
  responses: decided,
  problems: decisionProblems,
});

export const requestOperatorRefund = defineEndpoint({
  operationId: "requestRefundForMerchant",
  listener: "operator",
  method: "POST",
  path: "/operator/payments/{paymentId}/refunds",
  role: "admin",
  summary: "Ask for a refund on the merchant's behalf; somebody else has to approve it",
  pathParameters: z.object({ paymentId: pathId }),
  notFound: "payment_not_found",
  request: refundRequestSchema
    .extend({ reason: textSchema(1, 1_000) })
    .meta({ id: "RequestRefundForMerchantRequest" }),
  responses: {
    202: {
      description: "Accepted; it waits for approval",
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
