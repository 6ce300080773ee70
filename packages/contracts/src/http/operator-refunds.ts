import { z } from "zod";
import { apiPaymentResponseSchema } from "./api-payment-response.ts";
import { merchantIdSchema } from "./merchant-id.ts";
import { resolutionSchema } from "./operator-payments.ts";
import { refundAtBankSchema, refundedPaymentSchema } from "./refund-parts.ts";
import { refundHistorySchema } from "./state-change.ts";

const approvalSchema = z.object({
  operator: z.string().meta({ description: "Operator who approved it: the `sub` of the token" }),
  note: z.string().optional().meta({ description: "What the operator noted" }),
  at: z.iso.datetime().meta({ description: "When it was approved (UTC)" }),
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
    ofPayment: refundedPaymentSchema.optional(),
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
    requestReason: z
      .string()
      .optional()
      .meta({ description: "Why it was requested, as the merchant or that operator has said" }),
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
    bank: refundAtBankSchema
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
