import { z } from "zod";
import { textSchema } from "../text.ts";
import { apiPaymentResponseSchema } from "./api-payment-response.ts";
import { BODY_PROBLEMS, defineEndpoint, pathId } from "./endpoint.ts";
import { merchantIdSchema } from "./merchant-id.ts";
import { resolutionSchema, statementSchema } from "./operator-payments.ts";
import { cardPaymentFields } from "./card-payment-fields.ts";
import { refundRequestSchema } from "./refund.ts";
import { refundHistorySchema } from "./state-change.ts";

const approvalSchema = z.object({
  operator: z.string().meta({ description: "Operator who approved it: the `sub` of the token" }),
  note: z.string().optional().meta({ description: "What the operator noted" }),
  at: z.iso.datetime().meta({ description: "When it was approved (UTC)" }),
});

const bankSchema = z.object({
  reference: z
    .string()
    .meta({ description: "Our reference of the refund at the bank, the last one that was sent" }),
  approvedAmount: z.number().optional().meta({
    description: "Amount that the bank says it has paid, where that is not the refund's",
  }),
  approvedCurrency: z.string().optional().meta({ description: "ISO 4217 code of `approvedAmount`" }),
  externalTransactionId: z.string().optional().meta({ description: "The bank's id of the refund" }),
  authCode: z.string().optional().meta({ description: "The issuer's authorization code of the refund" }),
  resultCode: z.string().optional().meta({ description: "The bank's result code, once it has answered" }),
  resultMessage: z.string().optional().meta({ description: "What `resultCode` means, in the bank's words" }),
});

const ofStaff = z.literal(true).optional().meta({ description: "That person is no operator, but staff" });

/** A refund as operators see it: the merchant's record and the gateway's own data. */
export const operatorRefundSchema = apiPaymentResponseSchema
  .extend({
    refundId: z.uuid().meta({ description: "Id of the refund; merchants see it as `paymentId`" }),
    merchantId: merchantIdSchema,
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
    approvals: z.int().meta({ description: "Number of operators who have approved it" }),
    approvalsRequired: z.int().meta({
      description: "2 where the payment's refunds exceed the configured amount together",
    }),
    approvedBy: z.array(approvalSchema).meta({ description: "Who has approved it, the first one first" }),
    requestedBy: z
      .string()
      .optional()
      .meta({ description: "Operator who requested the refund on the merchant's behalf" }),
    requestedByStaff: ofStaff,
    requestReason: z.string().optional().meta({ description: "Why that operator requested it" }),
    credentialIssuedBy: z.string().optional().meta({
      description:
        "Operator who issued the credential that requested the refund, and who may neither decide about it nor resolve it",
    }),
    credentialIssuedByStaff: ofStaff,
    rejectedBy: z
      .string()
      .optional()
      .meta({ description: "Operator who rejected it: the `sub` of the token" }),
    rejectionReason: z.string().optional().meta({ description: "Why that operator rejected it" }),
    overdue: z.boolean().meta({
      description:
        "Whether the refund has been executing for more than 24 hours and operators have to look at it",
    }),
    attempts: z.int().meta({ description: "Number of recovery attempts in this state" }),
    lastInquiry: z
      .string()
      .optional()
      .meta({ description: "Result of the last recovery attempt", examples: ["timeout"] }),
    nextAttemptAt: z.iso
      .datetime()
      .optional()
      .meta({ description: "When recovery looks at it next (UTC); absent where nothing is due" }),
    bank: bankSchema
      .optional()
      .meta({ description: "Present once the refund is approved: what the bank was asked and has said" }),
    resolution: resolutionSchema.optional(),
  })
  .meta({ id: "OperatorRefund" });
export type OperatorRefund = z.infer<typeof operatorRefundSchema>;

export const operatorRefundDetailSchema = operatorRefundSchema
  .extend({
    history: refundHistorySchema,
  })
  .meta({ id: "OperatorRefundDetail" });
export type OperatorRefundDetail = z.infer<typeof operatorRefundDetailSchema>;

const refundPath = z.object({ refundId: pathId("Id of the refund") });

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
  recentSignIn: true,
  summary: "Approve a refund",
  description:
    "Approves a refund, which is then carried out at the bank; the answer may come before the bank's. Where the " +
    "payment's refunds exceed the configured amount together, two different people have to approve. The person who " +
    "requested the refund, or issued the credential that did, cannot approve it (`same_person`), and nobody more than " +
    "their limit of 24 hours (`approver_limit_reached`). A refused attempt is an entry of the audit log.",
  pathParameters: refundPath,
  notFound: "refund_not_found",
  request: z
    .object({
      note: textSchema(1, 1_000).optional(),
      amount: cardPaymentFields.amount.optional().meta({
        description: "Amount that the person has seen: another one is `refund_differs`",
      }),
      currency: cardPaymentFields.currency.optional().meta({ description: "Currency of `amount`" }),
    })
    .meta({ id: "ApproveRefundRequest" }),
  bodyOptional: true,
  responses: decided,
  problems: [
    ...decisionProblems,
    "same_person",
    "already_approved_by_you",
    "approver_limit_reached",
    "refund_differs",
  ],
});

export const rejectOperatorRefund = defineEndpoint({
  operationId: "rejectRefund",
  listener: "operator",
  method: "POST",
  path: "/operator/refunds/{refundId}/reject",
  work: "write",
  role: "approver",
  recentSignIn: true,
  summary: "Reject a refund",
  description:
    "Rejects a refund and makes its amount refundable again. The person who issued the credential that requested it " +
    "cannot reject it (`same_person`).",
  pathParameters: refundPath,
  notFound: "refund_not_found",
  request: z
    .object({ reason: textSchema(1, 200).meta({ description: "Shown to the merchant as `resultMessage`" }) })
    .meta({ id: "RejectRefundRequest" }),
  responses: decided,
  problems: [...decisionProblems, "same_person"],
});

const unresolvedProblems = [
  "refund_not_found",
  "invalid_payment_state",
  "operation_in_progress",
  "outcome_unknown",
  "forbidden",
] as const;

export const inquireOperatorRefund = defineEndpoint({
  operationId: "inquireRefund",
  listener: "operator",
  method: "POST",
  path: "/operator/refunds/{refundId}/inquire",
  role: "operations",
  summary: "Query the acquirer about a refund",
  description:
    "Asks the acquirer immediately for the outcome of a refund that is executing, and carries it on as recovery does.",
  pathParameters: refundPath,
  notFound: "refund_not_found",
  responses: decided,
  problems: unresolvedProblems,
});

export const resolveOperatorRefund = defineEndpoint({
  operationId: "resolveRefund",
  listener: "operator",
  method: "POST",
  path: "/operator/refunds/{refundId}/resolve",
  role: "operations",
  recentSignIn: true,
  summary: "Resolve a refund manually",
  description:
    "Settles a refund that is executing by the outcome that the bank has confirmed to people. Two operators are needed: " +
    "the first proposes an outcome, and a second confirms it by sending the same one. A different outcome replaces the " +
    "proposal, and neither may have issued the credential that requested the refund. At the confirmation the bank is asked once more, and what it knows is recorded whatever people say: " +
    "FAILED is refused (`bank_says_settled`) where the bank says that it has paid, in whatever amount. What may " +
    "still take effect at the bank is `too_young` until `notBefore`.",
  pathParameters: refundPath,
  notFound: "refund_not_found",
  request: statementSchema.meta({ id: "ResolveRefundRequest" }),
  responses: decided,
  problems: [...BODY_PROBLEMS, ...unresolvedProblems, "bank_says_settled", "too_young", "same_person"],
});

export const requestOperatorRefund = defineEndpoint({
  operationId: "requestRefundForMerchant",
  listener: "operator",
  method: "POST",
  path: "/operator/payments/{paymentId}/refunds",
  work: "write",
  role: "operations",
  recentSignIn: true,
  summary: "Request a refund for a merchant",
  description: "Requests a refund on the merchant's behalf. A different person must approve it.",
  pathParameters: z.object({ paymentId: pathId("Id of the payment to refund") }),
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
  getOperatorRefund,
  approveOperatorRefund,
  rejectOperatorRefund,
  inquireOperatorRefund,
  resolveOperatorRefund,
  requestOperatorRefund,
];
