import { z } from "zod";

/** A call that was made to the bank, or was about to be. */
export const bankCallSchema = z
  .object({
    number: z.int().meta({ description: "Number of the call: the payment's first is 1" }),
    type: z
      .enum(["ENROL", "AUTHORIZE", "SALE", "CAPTURE", "VOID", "RELEASE", "REFUND", "REVERSE"])
      .meta({ description: "What the bank was asked for" }),
    reference: z.string().meta({ description: "Our reference, as the bank got it" }),
    amount: z.number().meta({ description: "Amount, in major units of the payment's currency" }),
    accountId: z.uuid().meta({ description: "The account at the bank that was called" }),
    sentAt: z.iso.datetime().meta({ description: "From when on it may be at the bank (UTC)" }),
    outcome: z
      .enum([
        "ENROLLED",
        "APPROVED",
        "DECLINED",
        "EXPIRED",
        "REVERSED",
        "NOTHING_FOUND",
        "SETTLED",
        "REFUSED",
        "NOT_SENT",
        "UNKNOWN",
      ])
      .optional()
      .meta({
        description:
          "What the bank answered, to the call or to an inquiry. UNKNOWN, or absent, while it may have been carried out; " +
          "NOT_SENT where certainly nothing of it was",
      }),
    answeredAt: z.iso.datetime().optional().meta({ description: "When that was known (UTC)" }),
    externalTransactionId: z.string().optional().meta({ description: "The bank's id of it" }),
    authCode: z.string().optional().meta({ description: "The bank's authorization code" }),
    resultCode: z
      .string()
      .optional()
      .meta({ description: "The bank's result code, or why there is no answer" }),
    resultMessage: z
      .string()
      .optional()
      .meta({ description: "What `resultCode` means, in the bank's words" }),
    approvedAmount: z
      .number()
      .optional()
      .meta({ description: "Amount that the bank says it approved, where that is another one" }),
    heardAt: z.iso
      .datetime()
      .optional()
      .meta({ description: "When the bank approved it, unconfirmed (UTC)" }),
  })
  .meta({ id: "BankCall" });
