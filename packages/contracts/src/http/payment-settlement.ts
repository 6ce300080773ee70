import { z } from "zod";
import { differenceSchema } from "./differences.ts";

/** The most lines, and the most differences, of one answer. */
export const PAYMENT_SETTLEMENT_MAX = 100;

/** A line of a bank's file that was found to be about a payment or a refund of it. */
export const bankLineSchema = z
  .object({
    importId: z.uuid().meta({ description: "The file that it is in" }),
    line: z.int().meta({ description: "Number of the line in the file, from 1" }),
    fileName: z.string().meta({ description: "Name that the file was taken under" }),
    accountId: z.string().meta({ description: "The account at the bank that the file is of" }),
    takenAt: z.iso.datetime().meta({ description: "When the file was taken" }),
    movementId: z.uuid().meta({ description: "Of the payment, or of the refund, that it is about" }),
    reference: z.string().optional().meta({ description: "Our reference, as the line has it" }),
    bankReference: z.string().optional().meta({ description: "The bank's own reference" }),
    authCode: z.string().optional().meta({ description: "Authorization code" }),
    pan: z.string().optional().meta({ description: "Masked number of the card" }),
    kind: z.string().meta({ description: "Such as SALE, REFUND or CHARGEBACK" }),
    grossAmount: z.number().meta({ description: "Seen from the merchant: what they pay back is negative" }),
    feeAmount: z.number().meta({ description: "The bank's fee, in major units" }),
    netAmount: z.number().meta({ description: "What the bank pays of it, in major units" }),
    currency: z.string().meta({ description: "ISO 4217 code of its amounts" }),
    transactedAt: z.string().optional().meta({ description: "The bank's wall clock, without a zone" }),
    settlesOn: z.iso.date().optional().meta({ description: "Day on which the bank pays it" }),
    verdict: z.string().optional().meta({
      description: "What the comparison says of it, such as MATCHED; absent before it was compared",
    }),
  })
  .meta({ id: "BankLine" });

export type BankLine = z.infer<typeof bankLineSchema>;

/** The lines of the banks' files for one payment and its refunds. */
export const paymentSettlementSchema = z
  .object({
    lines: z.array(bankLineSchema).meta({ description: "Oldest first" }),
    differences: z
      .array(differenceSchema)
      .meta({ description: "Where a bank and we say different things, in whatever state, oldest first" }),
    awaited: z
      .array(
        z.object({
          movementId: bankLineSchema.shape.movementId,
          expectedBy: z.iso.date().optional().meta({
            description:
              "Day until which the bank's file should report it; absent where no file of the account has come",
          }),
        }),
      )
      .meta({ description: "What no bank has reported yet, oldest first" }),
    more: z
      .boolean()
      .meta({ description: `Whether there are more than ${PAYMENT_SETTLEMENT_MAX} of either` }),
  })
  .meta({ id: "PaymentSettlement" });

export type PaymentSettlement = z.infer<typeof paymentSettlementSchema>;
