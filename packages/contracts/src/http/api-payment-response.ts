import { z } from "zod";
import { livemodeSchema } from "../livemode.ts";
import { RESULT_CODES } from "../result-codes.ts";
import {
  FINAL_STATUSES,
  meaningOfStatuses,
  paymentStatusSchema,
  transactionTypeSchema,
} from "../payment-status.ts";
import { DOM_INT } from "./bin.ts";
import { shownMerchantFields } from "./merchant-fields.ts";

/** Kind of a bank's decline. */
const declineClassSchema = z.enum(["soft", "hard", "sca_required", "stolen", "limit", "technical"]);
export type DeclineClass = z.infer<typeof declineClassSchema>;

/** The only place that shows the end of a capture or a cancellation that was answered 202. */
export const lastOperationSchema = z
  .object({
    type: z.enum(["CAPTURE", "CANCEL", "EXPIRY"]).meta({
      description: "EXPIRY: what was not captured in time is released by the gateway",
    }),
    status: z.enum(["PENDING", "DONE", "DECLINED"]).meta({
      description: "PENDING while the bank's answer is unknown; DECLINED leaves the payment as it was",
    }),
    amount: z.number().meta({ description: "What it captures or releases, in the payment's currency" }),
    resultCode: z.string().optional().meta({ description: "The bank's result code, once it has answered" }),
    at: z.iso.datetime().meta({ description: "When it ended; while it is PENDING, when it began" }),
  })
  .meta({ id: "LastOperation", description: "A capture, a cancellation or an expiry of a payment" });

/**
 * The spec's one record shape for payments and refunds, with its `amount`s as JSON numbers. Fields without a value are
 * left out, never null. Webhook bodies have this shape whole; see `toMerchantAnswer` for answers.
 */
export const apiPaymentResponseSchema = z
  .object({
    paymentId: z.uuid().meta({ description: "Unique id of the payment or refund" }),
    parentPaymentId: z
      .uuid()
      .optional()
      .meta({ description: "Id of the refunded payment; present on refunds" }),
    orderId: z.string().meta({ description: "Merchant's number of the order; it need not be unique" }),
    amount: z.number().meta({
      description:
        "Authorized amount, or the amount of the refund; with `installmentTotal`, the price of the order",
      examples: [12.5],
    }),
    capturedAmount: z
      .number()
      .optional()
      .meta({ description: "Captured amount; present once the payment has been captured" }),
    installmentCount: z
      .int()
      .meta({ description: "Number of installments that the buyer pays in; 1 for payment in full" }),
    installmentTotal: z
      .number()
      .optional()
      .meta({
        description:
          "What the card is charged in all, with what the buyer pays for the installments; present where the request " +
          "had it, and the amount that captures, refunds and settlements are about",
      }),
    currency: z.string().meta({ description: "ISO 4217 currency code", examples: ["TRY"] }),
    merchantCommission: z
      .number()
      .meta({ description: "Commission charged to the merchant, in the payment's currency" }),
    status: paymentStatusSchema,
    statusDate: z.iso.datetime().optional().meta({
      description: "Date and time (UTC) since which the record is in this state",
    }),
    version: z.int().optional().meta({
      description:
        "Rises with every change of state: of two webhooks about one payment, the higher version is the later state",
    }),
    transactionType: transactionTypeSchema.optional(),
    paymentDate: z.iso.datetime().meta({ description: "Date and time in UTC (ISO 8601)" }),
    cardHolderName: z.string().meta({ description: "Name on the card, as the request gave it" }),
    pan: z
      .string()
      .regex(/^\d{6}\*+\d{4}$/)
      .meta({
        description: "Masked card number: its first six and last four digits",
        examples: ["411111******1111"],
      }),
    domInt: z.enum(DOM_INT).optional().meta({
      description: "Domestic or international card; absent where the BIN is not known",
    }),
    cardScheme: cardFact("Card scheme", "VISA", "MASTERCARD"),
    cardType: cardFact("Type of the card", "CREDIT", "DEBIT"),
    cardSubType: cardFact("Sub-type of the card", "CLASSIC", "GOLD"),
    loyaltyCode: z
      .string()
      .optional()
      .meta({
        description: "Loyalty programme of the payment; absent where there is none",
        examples: ["BONUS"],
      }),
    externalTransactionId: z
      .string()
      .optional()
      .meta({ description: "The acquirer's id of the transaction" }),
    authCode: z
      .string()
      .optional()
      .meta({ description: "The issuer's authorization code; present once the bank has approved" }),
    resultCode: z
      .string()
      .optional()
      .meta({
        description: `Result code of the bank, or one of the gateway's own: ${Object.keys(RESULT_CODES).join(", ")}`,
      }),
    resultMessage: z
      .string()
      .optional()
      .meta({ description: "What `resultCode` means, in the words of whose code it is; not for buyers" }),
    declineClass: declineClassSchema.optional().meta({
      description:
        "Kind of the bank's decline, where its code tells. soft: may succeed later; hard: not with this card; sca_required: " +
        "try again with 3-D Secure; stolen: the card is lost, stolen or blocked; limit: the card's balance or limit; " +
        "technical: refused before the issuer judged it",
    }),
    ...shownMerchantFields,
    lastOperation: lastOperationSchema
      .optional()
      .meta({ description: "The latest capture, cancellation or expiry of the payment" }),
    capturedAt: z.iso
      .datetime()
      .optional()
      .meta({ description: "When the payment was captured (UTC); present on captured payments" }),
    cancelledAt: z.iso
      .datetime()
      .optional()
      .meta({ description: "When the payment was cancelled (UTC); present on cancelled payments" }),
    cancelReason: z
      .string()
      .optional()
      .meta({ description: "Why the merchant cancelled the payment, where the cancellation said so" }),
    refundedAmount: z.number().optional().meta({
      description:
        "What refunds have given back; present, as the next two, on a payment that has such refunds",
    }),
    pendingRefundAmount: z.number().optional().meta({
      description: "What refunds may still give back that have not ended; it is reserved for them",
    }),
    refundableAmount: z.number().optional().meta({ description: "What can still be refunded" }),
    chargedBackAmount: z.number().optional().meta({
      description:
        "What chargebacks, and refunds that the gateway did not make, have taken; present on a payment that has some",
    }),
    livemode: livemodeSchema,
  })
  .meta({ id: "ApiPaymentResponse", description: "A payment or a refund" });

/** A fact about a card, from the BIN table. */
function cardFact(what: string, ...examples: string[]) {
  return z
    .string()
    .optional()
    .meta({ description: `${what}, by the BIN; absent where the BIN is not known`, examples });
}

/** A payment in an answer to a merchant (spec, ApiPaymentResponse, note 1), for the document. */
export const paymentSchema = apiPaymentResponseSchema
  .omit({ parentPaymentId: true, transactionType: true, cardSubType: true })
  .meta({ id: "Payment", description: "A payment" });

/** A refund in an answer to a merchant, for the document. */
export const refundSchema = apiPaymentResponseSchema
  .omit({
    cardSubType: true,
    declineClass: true,
    capturedAmount: true,
    lastOperation: true,
    capturedAt: true,
    cancelledAt: true,
    cancelReason: true,
    refundedAmount: true,
    pendingRefundAmount: true,
    chargedBackAmount: true,
    refundableAmount: true,
  })
  .extend({
    parentPaymentId: z.uuid().meta({ description: "Id of the refunded payment" }),
    transactionType: z.literal("REFUND").meta({ description: "Tells a refund from a payment" }),
    status: z.enum(["PENDING_APPROVAL", "SUCCESS", "FAILED", "REJECTED"]).meta({
      description:
        "PENDING_APPROVAL until operators have decided and the bank has answered. SUCCESS: paid back. FAILED: the bank " +
        "declined. REJECTED: an operator declined",
    }),
  })
  .meta({ id: "Refund", description: "A refund, which is a record of its own" });

/** The answer to a look-up by id, for the document. */
export const paymentOrRefundSchema = z
  .union([refundSchema, paymentSchema])
  .meta({ id: "PaymentOrRefund", description: "A refund has `transactionType` and `parentPaymentId`" });

const finalStatusSchema = z.enum(FINAL_STATUSES).meta({ description: meaningOfStatuses(FINAL_STATUSES) });

/** The body of a webhook, for the document. */
export const webhookPaymentSchema = apiPaymentResponseSchema
  .extend({ transactionType: transactionTypeSchema, status: finalStatusSchema })
  .meta({ id: "WebhookPayment", description: "A payment or a refund that reached a final status" });

/** A chargeback as its merchant learns of it. */
const merchantChargebackSchema = z
  .object({
    chargebackId: z.uuid().meta({ description: "Unique id of the chargeback" }),
    kind: z.enum(["CHARGEBACK", "REFUND"]).meta({
      description:
        "CHARGEBACK: the buyer disputes the payment. REFUND: a refund that the gateway did not make, such as one in the bank's panel",
    }),
    status: z.enum(["OPEN", "WON", "LOST", "WITHDRAWN"]).meta({
      description: "WON and WITHDRAWN give the amount back",
    }),
    amount: z.number().meta({ description: "What the buyer disputes, in `currency`" }),
    currency: z.string().meta({ description: "ISO 4217 currency code", examples: ["TRY"] }),
    reasonCode: z
      .string()
      .optional()
      .meta({ description: "The card scheme's or the bank's code of the reason", examples: ["10.4"] }),
    respondBy: z.iso.datetime().optional().meta({ description: "Until when evidence helps" }),
    openedAt: z.iso.datetime().meta({ description: "When the gateway learned of it (UTC)" }),
  })
  .meta({ id: "MerchantChargeback", description: "A chargeback of the payment" });
export type MerchantChargeback = z.infer<typeof merchantChargebackSchema>;

/** The body of a webhook about a chargeback, for the document. */
export const chargedBackPaymentSchema = apiPaymentResponseSchema
  .extend({ transactionType: transactionTypeSchema, chargeback: merchantChargebackSchema })
  .meta({ id: "WebhookChargedBackPayment", description: "A payment with the chargeback that this is about" });

export type LastOperation = z.infer<typeof lastOperationSchema>;
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
