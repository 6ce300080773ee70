import { z } from "zod";
import { cardNumberFree, holdsThisCard, CARD_NUMBER_FAULT } from "../card-number.ts";
import { JsonNumber } from "../json-number.ts";
import { currencyExponent, parseJsonAmount } from "../money.ts";
import { textSchema } from "../text.ts";
import { AMOUNT_FAULT_MESSAGES, amountSchema, type AddFault } from "./amount-field.ts";
import { browserSchema } from "./browser-field.ts";

/**
 * A request's facts about the buyer and the goods. All are optional: banks judge a payment better with them, and some
 * need a part of them. No answer or webhook shows them.
 */
const addressSchema = z
  .object({
    contactName: textSchema(1, 100).optional(),
    line1: textSchema(1, 200),
    line2: textSchema(1, 200).optional(),
    city: textSchema(1, 80),
    postalCode: textSchema(1, 20).optional(),
    country: textSchema(2, 80),
  })
  .meta({ id: "Address", description: "`country` is a name or an ISO 3166-1 code" });

/** RFC 5322's plain form, at a host with a dot; linear, unlike the usual expression. */
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}$/;

const customerSchema = z
  .object({
    email: z
      .string()
      .regex(EMAIL, { error: "must be an e-mail address" })
      .max(254, { error: "must have at most 254 characters" })
      .check(cardNumberFree)
      .optional()
      .meta({ description: "The buyer's e-mail address", examples: ["ada@example.com"] }),
    // One in ten numbers of 13 digits that begin with a scheme's has a card number's check digit, so a number is
    // compared with the card of the request only.
    phone: z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/, { error: "must be an E.164 number, such as +905551234567" })
      .optional()
      .meta({ description: "In E.164 form", examples: ["+905551234567"] }),
    name: textSchema(1, 100).optional(),
    identityNumber: z
      .string()
      .regex(/^[A-Za-z0-9]{5,32}$/, { error: "must be 5 to 32 letters and digits" })
      .check(cardNumberFree)
      .optional()
      .meta({ description: "National identity, passport or tax number, which some banks demand" }),
    billingAddress: addressSchema.optional(),
    shippingAddress: addressSchema.optional(),
  })
  .meta({ id: "Customer", description: "The buyer. It is passed to the bank and never shown again" });

const basketItem = {
  id: textSchema(1, 64, { is: "number" }),
  name: textSchema(1, 100),
  category: textSchema(1, 100),
  kind: z.enum(["physical", "virtual"], { error: "must be physical or virtual" }).meta({
    description: "`virtual` goods need no shipping",
  }),
};

export const BASKET_ITEMS_MAX = 100;

const basketSchema = z
  .array(z.object({ ...basketItem, amount: amountSchema() }).meta({ id: "BasketItem" }))
  .min(1, { error: "must have at least one item" })
  .max(BASKET_ITEMS_MAX, { error: `must have at most ${BASKET_ITEMS_MAX} items` })
  .meta({
    description: "What is paid for. The amounts add up to the payment's amount, or the answer is 400",
  });

const initiatorSchema = z
  .object({
    by: z.enum(["cardholder", "merchant"], { error: "must be cardholder or merchant" }).meta({
      description: "`merchant`: without the cardholder, by an agreement that the two have made",
    }),
    channel: z
      .enum(["ecommerce", "moto", "recurring", "unscheduled"], {
        error: "must be ecommerce, moto, recurring or unscheduled",
      })
      .meta({
        description:
          "`ecommerce`: in a shop on the internet. `moto`: by mail or telephone order. `recurring`: one of a series at " +
          "fixed intervals. `unscheduled`: with a stored card, at no fixed time",
      }),
    firstSchemeTransactionId: z
      .string()
      .regex(/^[A-Za-z0-9]{1,56}$/, { error: "must be 1 to 56 letters and digits" })
      .optional()
      .meta({ description: "The card scheme's id of the first payment of a series" }),
  })
  .meta({
    id: "Initiator",
    description:
      "Who began the payment, and how. Without it the cardholder did, in a shop on the internet. It is passed on to banks " +
      "whose protocol has a place for it",
  });

/** The fields of a checkout; its page adds the browser. */
export const checkoutDetailFields = {
  customer: customerSchema.optional(),
  basket: basketSchema.optional(),
  description: textSchema(1, 200).optional().meta({ description: "For the bank's own reports" }),
  initiator: initiatorSchema.optional(),
};

/** The fields of every request with a card. */
export const orderDetailFields = { ...checkoutDetailFields, browser: browserSchema.optional() };

/**
 * The details beside a card in a command, sealed like the card: amounts are minor units in decimal digits.
 */
export const orderDetailsSchema = z.object({
  ...orderDetailFields,
  basket: z.array(z.object({ ...basketItem, amountMinor: z.string().regex(/^\d{1,14}$/) })).optional(),
});
export type OrderDetails = z.infer<typeof orderDetailsSchema>;

type RequestDetails = z.infer<z.ZodObject<typeof checkoutDetailFields>> &
  Pick<OrderDetails, "browser"> & { currency: string };

/** @returns undefined if a validated request has no details. */
export function orderDetailsOf(request: RequestDetails): OrderDetails | undefined {
  const { customer, basket, browser, description, initiator, currency } = request;
  const details: OrderDetails = {
    ...(customer && { customer }),
    ...(basket && { basket: basket.map(({ amount, ...item }) => ({ ...item, ...minor(amount, currency) })) }),
    ...(browser && { browser }),
    ...(description !== undefined && { description }),
    ...(initiator && { initiator }),
  };
  return Object.keys(details).length === 0 ? undefined : details;
}

function minor({ source }: JsonNumber, currency: string): { amountMinor: string } {
  const amountMinor = parseJsonAmount(source, currencyExponent(currency) ?? 0);
  if (typeof amountMinor !== "bigint") throw new Error(`an item passed validation, but is ${amountMinor}`);
  return { amountMinor: amountMinor.toString() };
}

/** Adds the faults between a basket and the amount. Faults of single items are reported by their own field. */
export function checkBasket(fields: Record<string, unknown>, addFault: AddFault): void {
  const { basket, amount, currency } = fields;
  const exponent = typeof currency === "string" ? currencyExponent(currency) : undefined;
  if (!Array.isArray(basket) || basket.length > BASKET_ITEMS_MAX || exponent === undefined) return;
  let sum: bigint | undefined = 0n;
  for (const [index, item] of basket.entries()) {
    const of = amountOf(item);
    const itemMinor = of && parseJsonAmount(of.source, exponent);
    if (typeof itemMinor === "string") {
      addFault(`basket.${index}.amount`, itemMinor, AMOUNT_FAULT_MESSAGES[itemMinor]);
    }
    sum = sum !== undefined && typeof itemMinor === "bigint" ? sum + itemMinor : undefined;
  }
  const wanted = amount instanceof JsonNumber ? parseJsonAmount(amount.source, exponent) : undefined;
  if (typeof wanted !== "bigint" || sum === undefined || sum === wanted) return;
  addFault("basket", "sum_mismatch", "the amounts of its items must add up to the amount");
}

function amountOf(item: unknown): JsonNumber | undefined {
  const amount = (item as { amount?: unknown } | null | undefined)?.amount;
  return amount instanceof JsonNumber ? amount : undefined;
}

/**
 * Adds a fault for each text of the details that has the card's number in it, with any characters between its digits.
 */
export function checkDetailsForCard(fields: Record<string, unknown>, pan: string, addFault: AddFault): void {
  for (const name of Object.keys(orderDetailFields)) {
    for (const [path, text] of textsIn(fields[name], name)) {
      if (holdsThisCard(text, pan)) {
        addFault(path, CARD_NUMBER_FAULT.code, "must not contain the card number");
      }
    }
  }
}

/**
 * Reads down to the third level, below which no schema has fields, and no more entries of a list than a schema allows.
 */
function* textsIn(value: unknown, path: string, depth = 0): Generator<[path: string, text: string]> {
  if (typeof value === "string") yield [path, value];
  if (typeof value !== "object" || value === null || value instanceof JsonNumber || depth > 3) return;
  for (const [name, of] of Object.entries(value).slice(0, BASKET_ITEMS_MAX)) {
    yield* textsIn(of, `${path}.${name}`, depth + 1);
  }
}
