import { z } from "zod";
import type { AddFault } from "./amount-field.ts";
import { apiPaymentResponseSchema } from "./api-payment-response.ts";
import { checkReturnUrls, returnUrlSchema } from "./return-url.ts";
import { checkSale, saleRequestSchema } from "./sale.ts";

/** The result of a payment with 3-D Secure: a sale, or funds reserved for a later capture. */
export const threeDsTransactionTypeSchema = z.enum(["PAYMENT", "PRE_AUTHORIZATION"]);

/** Fields that a pre-authorization does not have. */
const SALES_ONLY = ["installmentCount", "installmentTotal"] as const;

/** Body of POST /api/3ds: a sale's fields, the type of its result, and the buyer's return URLs. */
export const threeDsRequestSchema = z
  .object({
    ...saleRequestSchema.shape,
    transactionType: threeDsTransactionTypeSchema.optional().meta({ description: "Defaults to PAYMENT" }),
    successUrl: returnUrlSchema().meta({
      description:
        "Where the buyer is sent after a successful payment; `paymentId` and `orderId` are added to the query",
    }),
    failureUrl: returnUrlSchema().meta({
      description:
        "Where the buyer is sent after a payment that did not succeed; the same parameters are added to the " +
        "query",
    }),
  })
  .meta({
    id: "ThreeDsRequest",
    description: "Installments belong to sales: a pre-authorization has none",
    not: {
      required: ["transactionType"],
      properties: { transactionType: { const: "PRE_AUTHORIZATION" } },
      anyOf: SALES_ONLY.map((field) => ({ required: [field], properties: { [field]: {} } })),
    },
  });

/** Adds the faults between the fields. Installments belong to sales. */
export function checkThreeDs(
  fields: Record<string, unknown>,
  now: Date,
  addFault: AddFault,
  caller: { livemode: boolean },
): void {
  checkSale(fields, now, addFault);
  checkReturnUrls(fields, addFault, caller);
  if (fields["transactionType"] !== "PRE_AUTHORIZATION") return;
  for (const field of SALES_ONLY)
    if (fields[field] !== undefined) addFault(field, "not_allowed", "is not allowed for pre-authorizations");
}

/** The record and, while the cardholder has to pass a challenge, the way there. */
export const threeDsResponseSchema = apiPaymentResponseSchema
  .extend({
    redirectUrl: z
      .url()
      .optional()
      .meta({ description: "Present with ENROLLED: send the buyer's browser here for the challenge" }),
    htmlContent: z.base64().optional().meta({
      description:
        "Alternative to redirectUrl: a page, in base64, that takes the buyer to the challenge by itself",
    }),
    expiresAt: z.iso.datetime().optional().meta({
      description:
        "The buyer has to complete the challenge before this time; afterwards the payment is CANCELLED",
    }),
  })
  .meta({ id: "ThreeDsResponse" });

export type ThreeDsResponse = z.infer<typeof threeDsResponseSchema>;
