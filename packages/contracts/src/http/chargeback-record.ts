import { z } from "zod";
import { livemodeSchema } from "../livemode.ts";
import { textSchema } from "../text.ts";
import { pageOf } from "./list-query.ts";
import { merchantIdSchema } from "./merchant-id.ts";

export const CHARGEBACK_STATUSES = ["OPEN", "WON", "LOST", "WITHDRAWN"] as const;
export const CHARGEBACK_KINDS = ["CHARGEBACK", "REFUND"] as const;
export const CHARGEBACK_OUTCOMES = ["WON", "LOST", "WITHDRAWN"] as const;

export const chargebackKindSchema = z.enum(CHARGEBACK_KINDS).meta({
  description:
    "CHARGEBACK: the buyer disputes the payment. REFUND: the bank's file has a refund that the gateway did not make, such as one in the bank's panel",
});

export const chargebackOutcomeSchema = z.enum(CHARGEBACK_OUTCOMES).meta({
  description: "WON: the money came back. LOST: it is gone. WITHDRAWN: there was no such chargeback",
});

/** The facts that the bank may announce a case with. */
export const announcedCaseFields = {
  reasonCode: textSchema(1, 64)
    .optional()
    .meta({ description: "The card scheme's or the bank's code of the reason", examples: ["10.4"] }),
  bankReference: textSchema(1, 128).optional().meta({ description: "The bank's number of the case" }),
  respondBy: z.iso.datetime().optional().meta({ description: "Until when the bank takes evidence" }),
};

export const chargebackEvidenceSchema = z
  .object({
    evidenceId: z.uuid().meta({ description: "Id of the file" }),
    fileName: z.string().meta({ description: "Name that it was uploaded under" }),
    bytes: z.int().meta({ description: "Its size, in bytes" }),
    sha256: z.string().meta({ description: "SHA-256 of its bytes, in hex" }),
    addedBy: z.string().meta({ description: "Operator who added it: the `sub` of the token" }),
    addedAt: z.iso.datetime().meta({ description: "When it was added (UTC)" }),
  })
  .meta({ id: "ChargebackEvidence" });

/** The bank has taken the money of a payment, or a part of it, back: by the issuer, for a buyer who disputes it, or by a refund of its own. */
export const chargebackSchema = z
  .object({
    chargebackId: z.uuid().meta({ description: "Id of the chargeback" }),
    paymentId: z.uuid().meta({ description: "Id of the payment that the buyer disputes" }),
    orderId: z.string().meta({ description: "The merchant's order number of that payment" }),
    merchantId: merchantIdSchema,
    livemode: livemodeSchema.meta({ description: "`false` for one of a payment of test mode" }),
    kind: chargebackKindSchema,
    status: z.enum(CHARGEBACK_STATUSES).meta({
      description:
        "OPEN until its outcome is known. WON: the money came back. LOST: it is gone. WITHDRAWN: there was no such chargeback",
    }),
    amount: z.number().meta({ description: "What the bank took back, in major units of `currency`" }),
    currency: z
      .string()
      .meta({ description: "ISO 4217 code of the currency in which the bank took it back" }),
    countedAmount: z.number().meta({
      description:
        "What of it counts against the payment's refundable amount now, in the payment's currency; 0 once it was given back",
    }),
    excessAmount: z.number().meta({
      description:
        "What of it had been paid back already when the case was opened, by refunds or other chargebacks: the buyer may have it twice",
    }),
    reversedAmount: z.number().meta({ description: "What the bank has given back" }),
    ...announcedCaseFields,
    openedBy: z
      .string()
      .optional()
      .meta({ description: "Operator who opened the case; absent where a line of a bank's file did" }),
    reported: z.boolean().meta({ description: "Whether a line of a bank's file reports it" }),
    proposal: z
      .object({
        outcome: chargebackOutcomeSchema,
        reason: z.string().meta({ description: "Why, in that person's words" }),
        proposedBy: z.string().meta({ description: "Operator who said so: the `sub` of the token" }),
      })
      .optional()
      .meta({ description: "What one of two people has said; a second one has to say the same" }),
    outcomeReason: z
      .string()
      .optional()
      .meta({ description: "Why its outcome is what it is, in words of whoever decided" }),
    decidedBy: z.string().optional().meta({
      description: "Operator who decided; absent while it is OPEN, and where a bank's file decided",
    }),
    openedAt: z.iso.datetime().meta({ description: "When the case was opened (UTC)" }),
    endedAt: z.iso.datetime().optional().meta({ description: "When its outcome was known (UTC)" }),
  })
  .meta({ id: "Chargeback" });
export type Chargeback = z.infer<typeof chargebackSchema>;

export const chargebackDetailSchema = chargebackSchema
  .extend({
    evidence: z.array(chargebackEvidenceSchema).meta({ description: "The files of evidence, oldest first" }),
  })
  .meta({ id: "ChargebackDetail" });
export type ChargebackDetail = z.infer<typeof chargebackDetailSchema>;

export const chargebackPageSchema = pageOf(chargebackSchema, "newest first").meta({ id: "ChargebackPage" });
