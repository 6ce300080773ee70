import { z } from "zod";
import type { AddFault } from "./amount-field.ts";
import { JsonNumber } from "../json-number.ts";
import { livemodeSchema } from "../livemode.ts";
import { textSchema } from "../text.ts";
import { wholeNumberField, wholeNumberOf } from "../whole-number.ts";
import { apiPaymentResponseSchema } from "./api-payment-response.ts";
import { cardPaymentFields, checkAmount, INSTALLMENTS_MAX } from "./card-payment-fields.ts";
import { checkBasket, checkoutDetailFields } from "./order-details.ts";
import { checkReturnUrls, returnUrlSchema } from "./return-url.ts";

/**
 * A hosted page on which a buyer pays one order. The merchant makes it, sends the buyer there, and looks at it here.
 */

/** `CANCELLED`: the merchant or the buyer cancelled it, or as many cards were declined as are allowed. */
export const CHECKOUT_STATUSES = ["OPEN", "COMPLETED", "EXPIRED", "CANCELLED"] as const;

const CHECKOUT_ENDS =
  "COMPLETED: paid. EXPIRED: nobody paid in time. CANCELLED: the merchant or the buyer cancelled it, or as many cards were " +
  "declined as are allowed";

export const checkoutStatusSchema = z
  .enum(CHECKOUT_STATUSES)
  .meta({ id: "CheckoutStatus", description: `OPEN: it can be paid. ${CHECKOUT_ENDS}` });

export type CheckoutStatus = z.infer<typeof checkoutStatusSchema>;

/** The bounds of a checkout's lifetime, in seconds. Without the field the service's setting applies. */
export const CHECKOUT_SECONDS = { min: 60, max: 86_400 } as const;

/** Body of POST /api/checkout. */
export const checkoutRequestSchema = z
  .object({
    orderId: cardPaymentFields.orderId,
    amount: cardPaymentFields.amount,
    currency: cardPaymentFields.currency,
    customerId: cardPaymentFields.customerId,
    installmentOptions: z
      .array(wholeNumberField(1, INSTALLMENTS_MAX))
      .max(INSTALLMENTS_MAX, { error: `must have at most ${INSTALLMENTS_MAX} entries` })
      .refine((options) => new Set(options.map(wholeNumberOf)).size === options.length, {
        error: "must not contain a number twice",
        params: { code: "duplicate" },
      })
      .optional()
      .meta({
        description:
          "Numbers of installments that the page offers if the buyer's card supports them; paying in full is " +
          "always offered",
        examples: [[1, 3, 6]],
      }),
    installmentPrices: z
      .boolean()
      .optional()
      .meta({
        description:
          "Whether the buyer pays for installments where your account says so: the page shows the total of each number, " +
          "and the payment has it as `installmentTotal`. Without it the buyer pays `amount` in any case",
        default: false,
      }),
    successUrl: returnUrlSchema().meta({
      description:
        "Where the buyer is sent after paying; `checkoutId`, `paymentId` and `orderId` are added to the query",
    }),
    failureUrl: returnUrlSchema().meta({
      description:
        "Where the buyer is sent if the order is not paid; the same parameters are added to the query",
    }),
    transactionType: z
      .enum(["PAYMENT", "PRE_AUTHORIZATION"], { error: "must be PAYMENT or PRE_AUTHORIZATION" })
      .optional()
      .meta({ description: "Defaults to PAYMENT" }),
    threeDs: z
      .boolean()
      .optional()
      .meta({
        description:
          "Whether payments use 3-D Secure; defaults to true. The buyer's bank decides whether it requires a " +
          "challenge",
      }),
    expiresInSeconds: wholeNumberField(CHECKOUT_SECONDS.min, CHECKOUT_SECONDS.max)
      .optional()
      .meta({ description: "Defaults to 1800" }),
    buyerText: textSchema(1, 200)
      .optional()
      .meta({
        description:
          "What is paid for, shown to the buyer in the place of `orderId`; it is not sent to the bank",
        examples: ["2 tickets, 14 March"],
      }),
    ...checkoutDetailFields,
  })
  .meta({
    id: "CheckoutRequest",
    description: "Installments belong to sales: a pre-authorization offers none but 1",
    not: {
      required: ["transactionType", "installmentOptions"],
      properties: {
        transactionType: { const: "PRE_AUTHORIZATION" },
        installmentOptions: { contains: { minimum: 2 } },
      },
    },
  });

/** Adds the faults between the fields of a checkout. */
export function checkCheckout(
  fields: Record<string, unknown>,
  _now: Date,
  addFault: AddFault,
  caller: { livemode: boolean },
): void {
  checkAmount(fields, addFault);
  checkReturnUrls(fields, addFault, caller);
  checkBasket(fields, addFault);
  const { transactionType, installmentOptions } = fields;
  if (transactionType !== "PRE_AUTHORIZATION" || !Array.isArray(installmentOptions)) return;
  if (installmentOptions.some((option) => option instanceof JsonNumber && wholeNumberOf(option) !== 1)) {
    addFault("installmentOptions", "not_allowed", "must not offer installments for a pre-authorization");
  }
}

export const checkoutSchema = z
  .object({
    checkoutId: z
      .uuid()
      .meta({ description: "Random id; anyone who knows it can pay, so give it to the buyer only" }),
    checkoutUrl: z.url().meta({ description: "Page to send the buyer to" }),
    status: checkoutStatusSchema,
    orderId: z.string().meta({ description: "Merchant's number of the order" }),
    amount: z.number().meta({ description: "The price of the order, in `currency`", examples: [12.5] }),
    currency: z.string().meta({ description: "ISO 4217 currency code", examples: ["TRY"] }),
    customerId: z.string().optional().meta({ description: "Merchant's id of the customer, if it gave one" }),
    transactionType: z.enum(["PAYMENT", "PRE_AUTHORIZATION"]).meta({
      description: "PAYMENT: a sale. PRE_AUTHORIZATION: the amount is reserved, to be captured later",
    }),
    installmentOptions: z.array(z.int()).meta({
      description: "Numbers of installments that the page offers if the buyer's card supports them",
    }),
    installmentPrices: z.boolean().optional().meta({
      description: "Present where the buyer pays for installments as your account says",
    }),
    threeDs: z.boolean().meta({ description: "Whether payments use 3-D Secure" }),
    successUrl: z.string().optional().meta({ description: "Absent where a payment link has no return URL" }),
    failureUrl: z.string().optional().meta({ description: "Absent where a payment link has no return URL" }),
    paymentLinkId: z.uuid().optional().meta({ description: "The payment link that it was made from" }),
    createdAt: z.iso.datetime().meta({ description: "When it was created (UTC)" }),
    expiresAt: z.iso.datetime().meta({
      description:
        "No payment can be started after this time; a payment started earlier still decides the status",
    }),
    closedAt: z.iso.datetime().optional().meta({ description: "When the status stopped being OPEN" }),
    installments: z
      .object({
        count: z.int().meta({ description: "Number of installments" }),
        firstAmount: z.number().meta({ description: "It takes what cannot be divided" }),
        furtherAmount: z
          .number()
          .meta({ description: "Each of the others; the sum of all is what the card is charged" }),
      })
      .optional()
      .meta({
        id: "CheckoutInstallments",
        description: "What the buyer chose on the page for the latest payment, if that is more than one",
      }),
    payment: apiPaymentResponseSchema
      .optional()
      .meta({ description: "The latest payment: the one that completed the checkout, or the last attempt" }),
    livemode: livemodeSchema,
  })
  .meta({ id: "Checkout", description: "A hosted page on which a buyer pays one order" });

export type Checkout = z.infer<typeof checkoutSchema>;

/** The body of a `checkout.` event, for the document. Addresses are not in it: the merchant gave them. */
export const webhookCheckoutSchema = checkoutSchema
  .pick({
    checkoutId: true,
    livemode: true,
    orderId: true,
    amount: true,
    currency: true,
    customerId: true,
    transactionType: true,
    paymentLinkId: true,
    createdAt: true,
    expiresAt: true,
    installments: true,
    payment: true,
  })
  .extend({
    status: checkoutStatusSchema.exclude(["OPEN"]).meta({ description: CHECKOUT_ENDS }),
    closedAt: z.iso.datetime().meta({ description: "When it ended; a checkout ends once" }),
  })
  .meta({ id: "WebhookCheckout", description: "A checkout that ended" });

export type WebhookCheckout = z.infer<typeof webhookCheckoutSchema>;
