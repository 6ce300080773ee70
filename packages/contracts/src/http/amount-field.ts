import { z } from "zod";
import type { FieldCode } from "../field-codes.ts";
import { JsonNumber } from "../json-number.ts";
import { currencyExponent, parseJsonAmount, type AmountFault } from "../money.ts";

/** An amount of a request, as far as a schema can describe it: its decimals are the currency's. */
export function amountSchema() {
  return z.instanceof(JsonNumber, { error: "must be a number" }).meta({
    // No currency has a smaller unit than the fourth decimal.
    override: { type: "number", minimum: 0.0001, maximum: 999_999_999.99 },
    description:
      "Decimal number that is a whole number of the currency's minor units; `12.5`, `12.5000` and `1.25e1` are the same",
    examples: [12.5],
  });
}

/** Adds the faults between fields. It also runs when single fields are at fault, so that all faults show together. */
export type AddFault = (field: string, code: FieldCode, message: string) => void;

/** An amount's decimals are judged by its currency. @param field the amount's name. */
export function checkAmount<Field extends string = "amount">(
  fields: { currency?: unknown } & Partial<Record<Field | "amount", unknown>>,
  addFault: (field: Field | "amount", code: FieldCode, message: string) => void,
  field: Field | "amount" = "amount",
): void {
  const { currency } = fields;
  const amount = fields[field];
  if (!(amount instanceof JsonNumber)) return;
  const exponent = typeof currency === "string" ? currencyExponent(currency) : undefined;
  const parsed = parseJsonAmount(amount.source, exponent ?? LARGEST_EXPONENT);
  if (typeof parsed !== "bigint") addFault(field, parsed, AMOUNT_FAULT_MESSAGES[parsed]);
}

/** The most decimals of any currency, which bound an amount in an unknown one. */
const LARGEST_EXPONENT = 4;

export const AMOUNT_FAULT_MESSAGES: Record<AmountFault, string> = {
  invalid_amount:
    "must be a decimal number without sign and leading zeros, and with at most two digits of exponent",
  too_many_decimals: "has more decimals than the currency",
  must_be_positive: "must be more than 0",
  too_large: "must be at most 999999999.99",
};
