import { z } from "zod";
import { nameOf } from "../person.ts";
import { livemodeSchema } from "../livemode.ts";
import { textSchema } from "../text.ts";
import { apiPaymentResponseSchema, lastOperationSchema } from "./api-payment-response.ts";
import { merchantIdSchema } from "./merchant-id.ts";
import { paymentHistorySchema } from "./state-change.ts";
import { bankCallSchema } from "./bank-call-schema.ts";

/** Outcomes two operators can settle a payment to. */
export const resolutionOutcomeSchema = z.enum(["SUCCESS", "FAILED"]).meta({
  description: "SUCCESS: the bank has carried it out. FAILED: it has not",
});

/** An operator's statement on an unknown outcome. */
export const statementSchema = z.object({
  outcome: resolutionOutcomeSchema,
  evidence: textSchema(1, 1_000).meta({
    description: "What the bank confirmed, in which document or call, and to whom",
  }),
});

/** One operator's proposal. */
export const resolutionSchema = z
  .object({
    outcome: resolutionOutcomeSchema,
    evidence: z.string().meta({ description: "What the bank confirmed, as the proposal says" }),
    proposedBy: z.string().meta({ description: "Operator who proposed it: the `sub` of the token" }),
    proposedAt: z.iso.datetime().meta({ description: "When it was proposed (UTC)" }),
    confirmations: z.int().meta({ description: "Number of operators who have said so" }),
    confirmationsRequired: z
      .int()
      .meta({ description: "Number of operators who have to say so before it counts" }),
  })
  .meta({ description: "Outcome that one operator has proposed and another one has to confirm" });

/** The columns of a proposal beside its subject's row; all null without a proposal. */
export type ProposalColumns = {
  resolution_outcome: z.infer<typeof resolutionOutcomeSchema> | null;
  resolution_evidence: string | null;
  resolution_proposed_by: string | null;
  resolution_proposed_at: Date | null;
};

/** The proposal as operators see it, if there is one. */
export function resolutionOf(row: ProposalColumns): { resolution?: z.infer<typeof resolutionSchema> } {
  const { resolution_outcome: outcome, resolution_evidence: evidence } = row;
  const { resolution_proposed_by: proposedBy, resolution_proposed_at: proposedAt } = row;
  if (outcome === null || evidence === null || proposedBy === null || proposedAt === null) return {};
  return {
    resolution: {
      outcome,
      evidence,
      proposedBy: nameOf(proposedBy),
      proposedAt: proposedAt.toISOString(),
      confirmations: 1,
      confirmationsRequired: 2,
    },
  };
}

const reversalSchema = z.object({
  status: z.enum(["PENDING", "REFUNDING", "REFUSED", "DONE"]).meta({
    description:
      "PENDING until the bank acknowledges the reversal; REFUNDING where the money has been settled, so that a refund " +
      "gives it back; REFUSED where the bank has refused both or either",
  }),
  approvedAmount: z.number().optional().meta({
    description: "Amount that the bank says it has approved, where that is not the payment's",
  }),
  resultCode: z.string().optional().meta({ description: "The bank's reason for the refusal" }),
  resultMessage: z.string().optional().meta({ description: "What `resultCode` means, in the bank's words" }),
  refusedAt: z.iso.datetime().optional().meta({ description: "When the bank refused it (UTC)" }),
});

/** A payment as operators see it: the merchant's record and the gateway's own data. */
export const operatorPaymentSchema = z
  .object({
    merchantId: merchantIdSchema,
    payment: apiPaymentResponseSchema,
    accountId: z.uuid().meta({ description: "Account at an acquirer that the payment was sent to" }),
    state: z
      .string()
      .meta({ description: "Internal state; merchants see AUTHORIZING and REVERSING as ENROLLED" }),
    unresolved: z.boolean().meta({ description: "Whether the outcome at the acquirer is still unknown" }),
    ageSeconds: z.int().meta({ description: "Seconds since the payment was claimed" }),
    overdue: z.boolean().meta({
      description:
        "Whether the payment has been unresolved for more than 24 hours and operators have to settle it",
    }),
    attempts: z.int().meta({ description: "Number of recovery attempts so far" }),
    lastInquiry: z
      .string()
      .optional()
      .meta({ description: "Result of the last recovery attempt", examples: ["not_found"] }),
    nextAttemptAt: z.iso
      .datetime()
      .optional()
      .meta({ description: "When recovery looks at it next (UTC); absent where nothing is due" }),
    reversal: reversalSchema.optional().meta({ description: "Present once the payment is to be reversed" }),
    credentialIssuedBy: z.string().optional().meta({
      description: "Operator who issued the credential that made the payment, and who may not resolve it",
    }),
    credentialIssuedByStaff: z.literal(true).optional().meta({
      description: "Present where `credentialIssuedBy` is a person of the merchant's staff, and no operator",
    }),
    resolution: resolutionSchema.optional(),
    livemode: livemodeSchema,
  })
  .meta({ id: "OperatorPayment" });

export type OperatorPayment = z.infer<typeof operatorPaymentSchema>;

/** A capture, a cancellation or an expiry, as it was asked for and as it ended. */
export const paymentOperationSchema = z
  .object({
    operationId: z.uuid().meta({ description: "Id of the operation" }),
    type: lastOperationSchema.shape.type,
    status: z.enum(["PENDING", "DONE", "DECLINED", "DROPPED"]).meta({
      description:
        "PENDING until the bank's answer is known; DROPPED where it was never sent, and the payment may be operated on",
    }),
    amount: z
      .number()
      .meta({ description: "Amount that it is about, in major units of the payment's currency" }),
    reason: z.string().optional().meta({ description: "What the merchant said why" }),
    reference: z
      .string()
      .meta({ description: "Our reference of it at the bank, the last one that was sent" }),
    resultCode: z.string().optional().meta({ description: "The bank's result code, once it has answered" }),
    resultMessage: z
      .string()
      .optional()
      .meta({ description: "What `resultCode` means, in the bank's words" }),
    requestedAt: z.iso.datetime().meta({ description: "When it was requested, or fell due (UTC)" }),
    endedAt: z.iso
      .datetime()
      .optional()
      .meta({ description: "When it ended (UTC); absent while it is PENDING" }),
  })
  .meta({ id: "PaymentOperation" });

/** A payment with every change of state since the claim, and its messages to the bank. */
export const operatorPaymentDetailSchema = operatorPaymentSchema
  .extend({
    history: paymentHistorySchema,
    operations: z
      .array(paymentOperationSchema)
      .optional()
      .meta({ description: "Captures, cancellations and expiries, oldest first; the last 100" }),
    bankCalls: z.array(bankCallSchema).optional().meta({
      description: "Calls to the bank, refunds' too, in the order in which they were made; the last 100",
    }),
    seenLate: z
      .array(
        z.object({
          type: bankCallSchema.shape.type,
          reference: z.string().meta({ description: "Our reference of its first call" }),
          seenAt: z.iso.datetime().meta({ description: "When the bank was first seen to have it" }),
        }),
      )
      .optional()
      .meta({
        description:
          "Payments, captures, cancellations and refunds that had ended as not done, and that the bank, asked after its " +
          "day, has carried out. A payment is given back; about everything else people decide",
      }),
    bankOrderId: z.string().optional().meta({ description: "The payment's name at the bank" }),
    requestIp: z.string().optional().meta({ description: "The buyer's address, as the request gave it" }),
    requestPort: z.int().optional().meta({ description: "The buyer's TCP port, as the request gave it" }),
  })
  .meta({ id: "OperatorPaymentDetail" });

export type OperatorPaymentDetail = z.infer<typeof operatorPaymentDetailSchema>;
