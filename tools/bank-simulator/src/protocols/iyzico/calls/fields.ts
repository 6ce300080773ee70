import { z } from "zod";

import { installmentCounts } from "../fees.ts";
import type { PaymentRequest } from "../rules.ts";
import { parseMinor } from "../wire/decimal.ts";

/** Every value is text here: numbers arrive as the text that was sent. */
export function text(lengthMax: number) {
  return z.string().min(1).max(lengthMax);
}

/** Minor units. */
export const amountField = z.string().transform((written, context) => {
  const minor = parseMinor(written);
  if (minor !== undefined) return minor;
  context.addIssue({ code: "custom", message: "must be an amount" });
  return z.NEVER;
});

export const currencyField = z.enum(["TRY", "USD", "EUR", "GBP", "NOK", "CHF"]);
export const conversationField = z
  .string()
  .max(255)
  .nullish()
  .transform((id) => id ?? "");
const localeField = z.enum(["tr", "en"]).nullish();
export const idField = z.string().regex(/^\d{1,15}$/);

/** The fields of every call, and the fields of every follow-up. */
export const commonFields = { locale: localeField, conversationId: conversationField };
export const followUpFields = { ...commonFields, ip: text(50) };

const address = z.object({
  contactName: text(200),
  city: text(100),
  country: text(100),
  address: text(1_000),
});

const paymentFields = z.object({
  ...commonFields,
  price: amountField,
  paidPrice: amountField,
  currency: currencyField,
  installment: z
    .enum(installmentCounts.map(String))
    .nullish()
    .transform((count) => Number(count ?? "1")),
  basketId: conversationField,
  paymentChannel: text(50).nullish(),
  paymentGroup: z.enum(["PRODUCT", "LISTING", "SUBSCRIPTION"]).nullish(),
  paymentCard: z.object({
    cardHolderName: text(200),
    cardNumber: z.string().regex(/^\d{12,19}$/),
    expireMonth: z.string().regex(/^(0?[1-9]|1[0-2])$/),
    expireYear: z.string().regex(/^(20)?\d{2}$/),
    cvc: z.string().regex(/^\d{3,4}$/),
  }),
  buyer: z.object({
    id: text(100),
    name: text(100),
    surname: text(100),
    identityNumber: text(50),
    email: text(200),
    registrationAddress: text(1_000),
    city: text(100),
    country: text(100),
    ip: text(50),
  }),
  billingAddress: address,
  shippingAddress: address.nullish(),
  basketItems: z
    .array(
      z.object({
        id: text(100),
        name: text(300),
        category1: text(200),
        itemType: z.enum(["PHYSICAL", "VIRTUAL"]),
        price: amountField,
      }),
    )
    .min(1)
    .max(200),
});

/** The body of a payment (iyzico protocol, payment body), with its fields in the bank's terms. The CVC is dropped here. */
export const paymentBody: z.ZodType<PaymentRequest> = paymentFields
  .refine(hasShippingAddress, { path: ["shippingAddress"] })
  .transform(requestOf);

/** The body of a 3-D Secure start. */
export const threeDsBody: z.ZodType<PaymentRequest & { callbackUrl: string }> = paymentFields
  .extend({ callbackUrl: z.url({ protocol: /^https?$/ }).max(2_048) })
  .refine(hasShippingAddress, { path: ["shippingAddress"] })
  .transform((body) => ({ ...requestOf(body), callbackUrl: body.callbackUrl }));

type PaymentFields = z.output<typeof paymentFields>;

function hasShippingAddress({ shippingAddress, basketItems }: PaymentFields): boolean {
  return !!shippingAddress || basketItems.every(({ itemType }) => itemType === "VIRTUAL");
}

function requestOf(body: PaymentFields): PaymentRequest {
  const { cardNumber, expireMonth, expireYear } = body.paymentCard;
  return {
    conversationId: body.conversationId,
    basketId: body.basketId,
    priceMinor: body.price,
    paidPriceMinor: body.paidPrice,
    currency: body.currency,
    installment: body.installment,
    pan: cardNumber,
    expiry: `20${expireYear.slice(-2)}-${expireMonth.padStart(2, "0")}`,
    items: body.basketItems.map(({ id, price }) => ({ itemId: id, priceMinor: price })),
    buyerId: body.buyer.id,
    ip: body.buyer.ip,
  };
}
