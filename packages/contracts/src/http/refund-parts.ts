import { z } from "zod";

/** The money of a refund's payment, in major units of its currency. */
export const refundedPaymentSchema = z
  .object({
    amount: z.number().meta({ description: "Amount that can be refunded at all" }),
    refundedAmount: z.number().meta({ description: "Amount that is already back" }),
    pendingRefundAmount: z
      .number()
      .meta({ description: "Amount of the refunds that have not ended, this one included" }),
    chargedBackAmount: z.number().meta({ description: "Amount that chargebacks have taken" }),
  })
  .meta({ description: "The payment's amounts; absent where `remainingRefundableAmount` is" });

/** The refund at the bank: our request and its answer. */
export const refundAtBankSchema = z.object({
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
