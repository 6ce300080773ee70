import { z } from "zod";
import { apiPaymentResponseSchema } from "../http/api-payment-response.ts";
import { binSchema } from "../http/bin.ts";
import { checkoutSchema, checkoutStatusSchema } from "../http/checkout.ts";
import { sealedCardSchema, sealedDetailsSchema } from "./commands.ts";
import { amountMinorSchema, defineCommand, defineServiceCommand } from "./message.ts";
import { threeDsTermsSchema } from "./three-ds-commands.ts";

/**
 * What is asked of `payments` about hosted checkouts: two commands by merchants, the rest by the page at `checkoutUrl`.
 */

/** As `payments` knows it; the gateway adds where its page is. */
export const checkoutRecordSchema = checkoutSchema.omit({ checkoutUrl: true });
export type CheckoutRecord = z.infer<typeof checkoutRecordSchema>;

/** Open a checkout. Its id was drawn by the gateway, so a copy of the message is the same checkout. */
export const openCheckout = defineCommand({
  service: "payments",
  name: "open-checkout",
  work: "write",
  request: z.object({
    checkoutId: z.uuid(),
    orderId: z.string(),
    amountMinor: amountMinorSchema,
    currency: z.string(),
    customerId: z.string().optional(),
    installmentOptions: z.array(z.int()).optional(),
    successUrl: z.string(),
    failureUrl: z.string(),
    transactionType: z.enum(["PAYMENT", "PRE_AUTHORIZATION"]),
    threeDs: z.boolean(),
    expiresInSeconds: z.int().optional(),
    /** Sealed for the checkout's id, under which they are kept until it is closed. */
    details: sealedDetailsSchema.optional(),
  }),
  result: checkoutRecordSchema,
});
export type OpenCheckout = z.infer<typeof openCheckout.request>;

/** Read one checkout of the merchant. */
export const readCheckout = defineCommand({
  service: "payments",
  name: "read-checkout",
  work: "read",
  request: z.object({ checkoutId: z.uuid() }),
  result: checkoutRecordSchema,
});

/** Cancel one of the merchant's checkouts. One that is cancelled already is answered as it is. */
export const cancelCheckoutOfMerchant = defineCommand({
  service: "payments",
  name: "cancel-checkout-of-merchant",
  work: "write",
  /** `requestId`: of this request, for its Idempotency-Key. */
  request: z.object({ checkoutId: z.uuid(), requestId: z.uuid() }),
  result: checkoutRecordSchema,
});
export type CancelCheckoutOfMerchant = z.infer<typeof cancelCheckoutOfMerchant.request>;

/** What the page shows. Whoever knows the id may see it; it has nothing of the card but what the record shows of it. */
export const checkoutPageSchema = z.object({
  checkoutId: z.uuid(),
  merchantId: z.uuid(),
  status: checkoutStatusSchema,
  orderId: z.string(),
  amountMinor: z.string(),
  currency: z.string(),
  installmentOptions: z.array(z.int()),
  /** Absent where a payment link has no return URL. */
  successUrl: z.string().optional(),
  failureUrl: z.string().optional(),
  /** What a payment link says that is paid; shown in the place of the order. */
  description: z.string().optional(),
  /** Why nobody may begin to pay though the checkout is open: what has become of its payment link. */
  linkIs: z.enum(["TAKEN", "USED", "DISABLED"]).optional(),
  expiresAt: z.iso.datetime(),
  /** How many more cards may be tried. */
  attemptsLeft: z.int(),
  /** The latest attempt. */
  payment: apiPaymentResponseSchema.optional(),
  /** While its cardholder has a challenge to pass: our page that leads there. */
  challengeUrl: z.string().optional(),
});
export type CheckoutPage = z.infer<typeof checkoutPageSchema>;

export const viewCheckout = defineServiceCommand({
  service: "payments",
  name: "view-checkout",
  work: "read",
  senders: ["gateway-public"],
  request: z.object({ checkoutId: z.uuid() }),
  result: checkoutPageSchema,
});

/** The buyer goes back without paying. Changes nothing unless the checkout is open and nothing is under way. */
export const cancelCheckout = defineServiceCommand({
  service: "payments",
  name: "cancel-checkout",
  work: "write",
  senders: ["gateway-public"],
  request: z.object({ checkoutId: z.uuid() }),
  result: checkoutPageSchema,
});

/** What a card's first digits tell the page. */
export const inspectCheckoutCard = defineServiceCommand({
  service: "payments",
  name: "inspect-checkout-card",
  work: "read",
  senders: ["gateway-public"],
  request: z.object({ checkoutId: z.uuid(), bin: binSchema }),
  result: z.object({
    cardScheme: z.string().optional(),
    /** Of the checkout's, those the card's programme allows; always with 1. */
    installmentCounts: z.array(z.int()),
  }),
});

/**
 * Pay with a card. `paymentId` was drawn with the form: the same form sent twice is one payment, and of two forms sent
 * at once one pays. The result is the checkout as it stands afterwards.
 */
export const payCheckout = defineCommand({
  service: "payments",
  name: "pay-checkout",
  senders: ["gateway-public"],
  request: z.object({
    checkoutId: z.uuid(),
    paymentId: z.uuid(),
    cardHolderName: z.string(),
    card: sealedCardSchema,
    /** The buyer's browser, as the page saw it. */
    details: sealedDetailsSchema.optional(),
    installmentCount: z.int(),
    requestIp: z.string(),
    requestPort: z.int(),
    /** For where 3-D Secure is wanted; see `threeDsTermsSchema`. */
    session: threeDsTermsSchema.pick({ sessionId: true, returnUrl: true, pageUrl: true }),
    /** The checkout's own page, where the cardholder's browser is sent after a challenge. */
    checkoutUrl: z.string().max(2_048),
  }),
  result: checkoutPageSchema,
});
export type PayCheckout = z.infer<typeof payCheckout.request>;
