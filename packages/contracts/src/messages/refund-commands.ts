import { z } from "zod";
import { apiPaymentResponseSchema } from "../http/api-payment-response.ts";
import { amountMinorSchema, defineCommand } from "./message.ts";

/** A refund as it is asked for, by a merchant or on its behalf. */
export const refundOfPaymentSchema = z.object({
  /** An id that the gateway generated: a copy of the message is the same refund. */
  refundId: z.uuid(),
  paymentId: z.uuid(),
  amountMinor: amountMinorSchema,
  currency: z.string(),
});
/** A merchant's request, with its message to the people who decide. */
export const requestRefundSchema = refundOfPaymentSchema.extend({ reason: z.string().optional() });
export type RequestRefund = z.infer<typeof requestRefundSchema>;

/** Reads one refund of the merchant. */
export const getRefund = defineCommand({
  service: "refunds",
  name: "get",
  work: "read",
  request: z.object({ refundId: z.uuid() }),
  result: apiPaymentResponseSchema,
});
