import { z } from "zod";
import type { AddFault } from "./amount-field.ts";
import { livemodeSchema } from "../livemode.ts";
import { textSchema } from "../text.ts";
import { wholeNumberField } from "../whole-number.ts";
import { cardPaymentFields, checkAmount } from "./card-payment-fields.ts";
import { checkoutRequestSchema, checkoutSchema } from "./checkout.ts";
import { checkReturnUrls, returnUrlSchema } from "./return-url.ts";

/** Payment links: an address, or a QR code, that buyers pay without a call of the merchant's server for each. */

/**
 * `USED`: a link for one payment was paid. `EXPIRED`: no buyer can begin to pay. `DISABLED`: the merchant has
 * ended it.
 */
export const PAYMENT_LINK_STATUSES = ["ACTIVE", "USED", "EXPIRED", "DISABLED"] as const;

export const paymentLinkStatusSchema = z.enum(PAYMENT_LINK_STATUSES).meta({
  id: "PaymentLinkStatus",
  description:
    "ACTIVE: it can be paid. USED: a link for one payment was paid. EXPIRED: nobody can begin any more. DISABLED: the " +
    "merchant has ended it",
});

export type PaymentLinkStatus = z.infer<typeof paymentLinkStatusSchema>;

/** The bounds of a link's lifetime, in seconds. */
export const PAYMENT_LINK_SECONDS = { min: 60, max: 31_536_000, default: 2_592_000 } as const;

const { installmentOptions, threeDs } = checkoutRequestSchema.shape;

const {
  amount,
  currency,
  installmentOptions: shownOptions,
  threeDs: shownThreeDs,
  createdAt,
} = checkoutSchema.shape;

export const paymentLinkRequestSchema = z
  .object({
    orderId: textSchema(1, 50, { is: "number" }).meta({
      description:
        "Order of the payment; of a link for many, the order of each is this and a part of its checkout's id",
    }),
    description: textSchema(1, 200).meta({
      description: "What is paid for, as the buyer reads it",
      examples: ["Piano lesson, November"],
    }),
    amount: cardPaymentFields.amount,
    currency: cardPaymentFields.currency,
    installmentOptions,
    threeDs,
    returnUrl: returnUrlSchema()
      .optional()
      .meta({
        description:
          "Where the buyer can go after paying or giving up, with `checkoutId`, `paymentId` and `orderId` in the " +
          "query; without it the page is the end of the way",
      }),
    use: z
      .enum(["SINGLE", "MULTIPLE"], { error: "must be SINGLE or MULTIPLE" })
      .optional()
      .meta({ description: "Whether it can be paid once or by many; defaults to SINGLE" }),
    expiresInSeconds: wholeNumberField(PAYMENT_LINK_SECONDS.min, PAYMENT_LINK_SECONDS.max)
      .optional()
      .meta({ description: `Defaults to ${PAYMENT_LINK_SECONDS.default}, which is 30 days` }),
  })
  .meta({ id: "PaymentLinkRequest" });

/** Adds the faults between the fields of a link, and of its URLs in the mode of the key. */
export function checkPaymentLink(
  fields: Record<string, unknown>,
  _now: Date,
  addFault: AddFault,
  caller: { livemode: boolean },
): void {
  checkAmount(fields, addFault);
  checkReturnUrls(fields, addFault, caller);
}

export const paymentLinkSchema = z
  .object({
    paymentLinkId: z.uuid().meta({ description: "Random id; anyone who knows it can pay" }),
    paymentLinkUrl: z.url().meta({ description: "The link itself" }),
    livemode: livemodeSchema,
    status: paymentLinkStatusSchema,
    orderId: z.string().meta({
      description: "Order of the payment; of a link for many, what the order of each begins with",
    }),
    description: z.string().meta({ description: "What is paid for, as the buyer reads it" }),
    amount,
    currency,
    installmentOptions: shownOptions,
    threeDs: shownThreeDs,
    returnUrl: z
      .string()
      .optional()
      .meta({ description: "Where the buyer can go afterwards, if it has one" }),
    use: z.enum(["SINGLE", "MULTIPLE"]).meta({ description: "Whether it can be paid once or by many" }),
    createdAt,
    expiresAt: z.iso.datetime().meta({ description: "Nobody can begin to pay after this time" }),
    disabledAt: z.iso.datetime().optional().meta({ description: "When the merchant ended it (UTC)" }),
  })
  .meta({ id: "PaymentLink", description: "An address that buyers pay" });

export type PaymentLink = z.infer<typeof paymentLinkSchema>;
