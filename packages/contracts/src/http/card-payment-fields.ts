import { isIP } from "node:net";
import { z } from "zod";
import { isAmexPan, passesLuhn } from "../card.ts";
import { CARD_NUMBER_FAULT, holdsThisCard } from "../card-number.ts";
import { JsonNumber } from "../json-number.ts";
import { CURRENCIES, currencyExponent, parseAmount, type AmountFault } from "../money.ts";
import { textSchema } from "../text.ts";
import { wholeNumberField } from "../whole-number.ts";

/** An amount of a request, in the schema as far as one can say it: its decimals are the currency's. */
export function amountSchema() {
  return z.instanceof(JsonNumber, { error: "must be a number" }).meta({
    // No currency has a smaller unit than the fourth decimal.
    override: { type: "number", minimum: 0.0001, maximum: 999_999_999.99 },
    description: "Decimal number without an exponent and with at most as many decimals as the currency has",
    examples: [12.5],
  });
}

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

/** The most a payment may be split into. */
export const INSTALLMENTS_MAX = 12;

/**
 * The fields every card payment request has (spec, Pre-authorization request), with the bounds the spec leaves open.
 * Numbers arrive as {@link JsonNumber}, so that amounts are read from their source text.
 */
export const cardPaymentFields = {
  orderId: textSchema(1, 64, { mayBeNumber: true }).meta({
    description: "Merchant's number of the order; it may be any number but the card's",
  }),
  amount: amountSchema(),
  currency: currencySchema(),
  cardHolderName: textSchema(2, 45),
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
    .regex(/^(0[1-9]|1[0-2])$/, { error: "must be 01 to 12" })
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
  requestIp: field(
    "ip_address",
    "must be an IPv4 or IPv6 address",
    (value) => isIP(value) !== 0 && !value.includes("%"),
  ).meta({
    description: "The buyer's IPv4 or IPv6 address, without a zone",
    anyOf: [{ format: "ipv4" }, { format: "ipv6" }],
    examples: ["203.0.113.7"],
  }),
  requestPort: wholeNumberField(1, 65_535),
  customerId: textSchema(1, 64).optional(),
};

function field(format: string, error: string, accepts: (value: string) => boolean) {
  return z.string().refine(accepts, { error, params: { code: `invalid_${format}` } });
}

type CardPaymentFields = Partial<
  Record<keyof typeof cardPaymentFields | (typeof FIELDS_WITHOUT_CARD)[number], unknown>
>;

/**
 * Adds what is wrong between fields. Runs whether or not single fields are at fault, so that all faults show at once.
 */
export type AddFault = (field: string, code: string, message: string) => void;

/** @param now for the card's expiry; a card is good to the end of its month anywhere on earth (UTC-12). */
export function checkCardPaymentFields(fields: CardPaymentFields, now: Date, addFault: AddFault): void {
  checkAmount(fields, addFault);
  checkExpiry(fields, now, addFault);
  const { pan, cvv } = fields;
  if (typeof pan !== "string" || !/^\d{12,19}$/.test(pan)) return;
  if (typeof cvv === "string" && /^\d{3}$/.test(cvv) && isAmexPan(pan)) {
    addFault("cvv", "invalid_format", "must be four digits for American Express");
  }
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
  "customerId",
  "loyaltyCode",
  "successUrl",
  "failureUrl",
] as const;

/** An amount's decimals are judged by its currency. */
export function checkAmount(
  { amount, currency }: { amount?: unknown; currency?: unknown },
  addFault: (field: "amount", code: string, message: string) => void,
): void {
  if (!(amount instanceof JsonNumber)) return;
  const exponent = typeof currency === "string" ? currencyExponent(currency) : undefined;
  const parsed = parseAmount(amount.source, exponent ?? LARGEST_EXPONENT);
  if (typeof parsed !== "bigint") addFault("amount", parsed, AMOUNT_FAULT_MESSAGES[parsed]);
}

/** With a currency we do not know, an amount is held only to the most decimals any currency has. */
const LARGEST_EXPONENT = 4;

export const AMOUNT_FAULT_MESSAGES: Record<AmountFault, string> = {
  invalid_amount: "must be a plain decimal number without sign, exponent or leading zeros",
  too_many_decimals: "has more decimals than the currency",
  must_be_positive: "must be more than 0",
  too_large: "must be at most 999999999.99",
};

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
