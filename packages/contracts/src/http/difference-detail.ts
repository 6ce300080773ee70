import { z } from "zod";
import { differenceSchema } from "./differences.ts";
import { bankLineSchema, PAYMENT_SETTLEMENT_MAX } from "./payment-settlement.ts";

/** Our record of a payment or refund, as it is compared with the banks' files. */
export const comparedRecordSchema = z
  .object({
    movementId: z.uuid().meta({ description: "Of the payment, or of the refund" }),
    paymentId: z.uuid().meta({ description: "The payment; of a refund, the refunded one" }),
    kind: z.string().meta({ description: "SALE, CAPTURE or REFUND" }),
    standing: z.string().meta({ description: "DONE, NOT_DONE, VOIDED, or OPEN while it is not known" }),
    orderId: z.string().meta({ description: "The merchant's order number" }),
    pan: z.string().meta({ description: "Masked number of the card" }),
    amount: z.number().meta({ description: "In major units" }),
    currency: z.string().meta({ description: "ISO 4217 code of `amount`" }),
    occurredAt: z.iso.datetime().meta({ description: "When its standing was reached (UTC)" }),
    bankReference: z.string().optional().meta({ description: "The bank's own reference" }),
    authCode: z.string().optional().meta({ description: "Authorization code" }),
  })
  .meta({ id: "ComparedRecord" });

export const differenceDetailSchema = differenceSchema
  .extend({
    fileName: z.string().optional().meta({ description: "Name of the file that `importId` is of" }),
    record: comparedRecordSchema.optional().meta({ description: "Our record; absent where there is none" }),
    lines: z.array(bankLineSchema.partial({ movementId: true })).meta({
      description: `The lines of the banks' files that it is about, at most ${PAYMENT_SETTLEMENT_MAX}; none of a payout`,
    }),
  })
  .meta({ id: "SettlementDifferenceDetail" });

export type DifferenceDetail = z.infer<typeof differenceDetailSchema>;
