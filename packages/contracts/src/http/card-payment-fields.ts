import { isIP } from "node:net";
import { z } from "zod";
import { isAmexPan, passesLuhn } from "../card.ts";
import { CARD_NUMBER_FAULT, holdsThisCard } from "../card-number.ts";
import { CURRENCIES, currencyExponent } from "../money.ts";
import { textSchema } from "../text.ts";
import { wholeNumberField } from "../whole-number.ts";
import { amountSchema, checkAmount, type AddFault } from "./amount-field.ts";
import { MERCHANT_FIELDS, merchantFields } from "./merchant-fields.ts";
import { checkBasket, checkDetailsForCard, orderDetailFields } from "./order-details.ts";

export * from "./amount-field.ts";

/** A currency of a request. */
export function currencySchema() {
  return z
    .string()
    .refine((value) => currencyExponent(value) !== undefined, {
      error: "must be an ISO 4217 code in upper case",
      params: { code: "invalid_currency" },
    })
    .meta({ override: { enum: [...CURRENCIES] }, description: "ISO 4217 currency code", examples: ["TRY"] });
}

/** The most installments of a payment. */
export const INSTALLMENTS_MAX = 12;

/**
 * The fields every card payment request has (spec, Pre-authorization request), with the bounds the spec leaves open.
 * Numbers arrive as {@link JsonNumber}, so that amounts are read from their source text.
 */
export const cardPaymentFields = {
  orderId: textSchema(1, 64, { is: "number" }).meta({
    description: "Merchant's number of the order; it may be any number but the card's",
  }),
  amount: amountSchema(),
  currency: currencySchema(),
  cardHolderName: textSchema(2, 45).meta({ description: "Name on the card, without its number" }),
  pan: z
    .string()
    .regex(/^\d{12,19}$/, { error: "must be 12 to 19 digits" })
    .refine(passesLuhn, {
      error: "is not a valid card number: its check digit is wrong",
      params: { code: "luhn" },
    })
    .meta({ pattern: "^[0-9]{12,19}$", description: "Full card number", examples: ["4111111111111111"] }),
  expiryMonth: z
    .string()
    .regex(/^(0[1-9]|1[0-2])$/, { error: "must be a month from 01 to 12" })
    .meta({ description: "Month in which the card expires", examples: ["12"] }),
  expiryYear: z
    .string()
    .regex(/^\d{2}$/, { error: "must be two digits" })
    .meta({
      description:
        "Last two digits of the year in which the card expires; a card that has expired, or that expires more than " +
        "20 years ahead, is refused",
      examples: ["35"],
    }),
  cvv: z
    .string()
    .regex(/^\d{3,4}$/, { error: "must be three or four digits" })
    .meta({ description: "Card verification value: four digits for American Express", examples: ["123"] }),
  requestIp: z
    .string()
    .refine((value) => isIP(value) !== 0 && !value.includes("%"), {
      error: "must be an IPv4 or IPv6 address",
      params: { code: "invalid_ip_address" },
    })
    .meta({
      description: "The buyer's IPv4 or IPv6 address, without a zone",
      anyOf: [{ format: "ipv4" }, { format: "ipv6" }],
      examples: ["203.0.113.7"],
    }),
  requestPort: wholeNumberField(1, 65_535).meta({
    description: "The buyer's TCP port, as your server sees it",
    examples: [50_123],
  }),
  ...merchantFields,
  allowConcurrentAttempt: z
    .boolean()
    .optional()
    .meta({
      description:
        "Whether this may be attempted while the bank has not decided on an earlier attempt at the same order; " +
        "without it the answer is then 409 `order_undecided`, so that a buyer is not charged twice",
    }),
  ...orderDetailFields,
};

type CardPaymentFields = Partial<
  Record<keyof typeof cardPaymentFields | (typeof FIELDS_WITHOUT_CARD)[number], unknown>
>;

/**
 * @param now the time for the card's expiry; a card is valid to the end of its month anywhere on earth
 * (UTC-12).
 */
export function checkCardPaymentFields(fields: CardPaymentFields, now: Date, addFault: AddFault): void {
  checkAmount(fields, addFault);
  checkBasket(fields, addFault);
  checkExpiry(fields, now, addFault);
  const { pan, cvv } = fields;
  if (typeof pan !== "string" || !/^\d{12,19}$/.test(pan)) return;
  if (typeof cvv === "string" && /^\d{3}$/.test(cvv) && isAmexPan(pan)) {
    addFault("cvv", "invalid_format", "must be four digits for American Express");
  }
  checkDetailsForCard(fields, pan, addFault);
  for (const name of FIELDS_WITHOUT_CARD) {
    const value = fields[name];
    if (typeof value === "string" && holdsThisCard(value, pan)) {
      addFault(name, CARD_NUMBER_FAULT.code, "must not contain the card number");
    }
  }
}

/** Texts of card payments that are stored. */
const FIELDS_WITHOUT_CARD = [
  "orderId",
  "cardHolderName",
  ...MERCHANT_FIELDS,
  "loyaltyCode",
  "successUrl",
  "failureUrl",
] as const;

function checkExpiry({ expiryMonth, expiryYear }: CardPaymentFields, now: Date, addFault: AddFault): void {
  if (typeof expiryYear !== "string" || !/^\d{2}$/.test(expiryYear)) return;
  const today = new Date(now.getTime() - 12 * 3_600_000);
  const year = 2000 + Number(expiryYear);
  const month =
    typeof expiryMonth === "string" && /^(0[1-9]|1[0-2])$/.test(expiryMonth) ? Number(expiryMonth) : 12;
  if (year * 12 + month < today.getUTCFullYear() * 12 + today.getUTCMonth() + 1) {
    addFault("expiryYear", "expired", "the card has expired");
  } else if (year > today.getUTCFullYear() + 20) {
    addFault("expiryYear", "too_far", "must be at most 20 years ahead");
  }
}
