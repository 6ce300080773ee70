import { z } from "zod";
import { paymentStatusSchema, transactionTypeSchema } from "../payment-status.ts";

/**
 * The spec's one record shape for payments and refunds, with its `amount`s as JSON numbers. Fields without a value are
 * left out, never null. Webhook bodies have this shape whole; see `toMerchantAnswer` for answers.
 */
export const apiPaymentResponseSchema = z
  .object({
    paymentId: z.uuid().meta({ description: "Unique id of the payment or refund transaction" }),
    parentPaymentId: z.uuid().optional().meta({ description: "The original payment, on refund records" }),
    orderId: z.string().meta({ description: "Merchant's tracking number for the order; need not be unique" }),
    amount: z.number().meta({ description: "What was authorized, or the refund's amount", examples: [12.5] }),
    capturedAmount: z.number().optional().meta({ description: "What was captured, from CAPTURED on" }),
    installmentCount: z.int(),
    currency: z.string().meta({ description: "ISO 4217", examples: ["TRY"] }),
    merchantCommission: z
      .number()
      .meta({ description: "Commission charged to the merchant, in the same currency" }),
    status: paymentStatusSchema,
    transactionType: transactionTypeSchema.optional(),
    paymentDate: z.iso.datetime().meta({ description: "ISO 8601, UTC" }),
    cardHolderName: z.string(),
    pan: z
      .string()
      .regex(/^\d{6}\*+\d{4}$/)
      .meta({ description: "Masked: first six and last four digits", examples: ["411111******1111"] }),
    domInt: z.enum(["DOM", "INT"]).optional().meta({ description: "Domestic or international" }),
    cardScheme: z.string().optional(),
    cardType: z
      .string()
      .optional()
      .meta({ examples: ["CREDIT", "DEBIT"] }),
    cardSubType: z.string().optional(),
    loyaltyCode: z.string().optional(),
    externalTransactionId: z
      .string()
      .optional()
      .meta({ description: "The acquirer's id of the transaction" }),
    authCode: z.string().optional(),
    resultCode: z.string().optional().meta({ description: "The acquirer's result code, or our own word" }),
    resultMessage: z.string().optional(),
    customerId: z.string().optional(),
  })
  .meta({ id: "ApiPaymentResponse" });

export type ApiPaymentResponse = z.infer<typeof apiPaymentResponseSchema>;

/**
 * The record as pre-authorization, payment and status answers show it: without parentPaymentId, transactionType and
 * cardSubType, except that a refund keeps the first two (spec, ApiPaymentResponse, note 1).
 */
export function toMerchantAnswer(record: ApiPaymentResponse): ApiPaymentResponse {
  const { cardSubType: _cardSubType, parentPaymentId, transactionType, ...answer } = record;
  if (transactionType !== "REFUND") return answer;
  return { ...answer, transactionType, ...(parentPaymentId !== undefined && { parentPaymentId }) };
}
