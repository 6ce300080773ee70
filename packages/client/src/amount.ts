import { invalidArgument } from "./holdfast-error.ts";

/**
 * An amount in major units: `"12.50"`, or a number that is exactly what it prints as. A number that a calculation has
 * left inexact, such as `0.1 + 0.2`, is refused before anything is sent.
 */
export type Amount = string | number;

/**
 * The amount's text, which goes into the request as it is: no float is between the caller and the gateway.
 *
 * @throws HoldfastError `inexact_amount` or `invalid_argument`.
 */
export function amountText(amount: Amount): string {
  const text = typeof amount === "number" ? String(amount) : amount;
  // Only a calculation gives a number more decimals than any currency has.
  if (typeof amount === "number" && /\.\d{5,}|e/.test(text)) {
    throw invalidArgument(
      "inexact_amount",
      `the amount ${text} is not exact: calculate in minor units, or pass a text such as "12.50"`,
    );
  }
  if (typeof text !== "string" || !/^(?:0|[1-9]\d{0,8})(?:\.\d{1,4})?$/.test(text) || !/[1-9]/.test(text)) {
    throw invalidArgument(
      "invalid_argument",
      'the amount must be more than 0 and at most 999999999.99, such as 12.5 or "12.50"',
    );
  }
  return text;
}

/**
 * Converts an amount of a request or an answer to minor units, for calculations: `toMinorUnits(12.5, 2)` is
 * `1250n`.
 * @param decimals the currency's number of decimals (ISO 4217): TRY 2, JPY 0, KWD 3.
 * @throws HoldfastError if the amount has more decimals than the currency.
 */
export function toMinorUnits(amount: Amount, decimals: number): bigint {
  // An answer may say 0, as `merchantCommission` does.
  const [whole = "", fraction = ""] = (Number(amount) === 0 ? "0" : amountText(amount)).split(".");
  const significant = fraction.replace(/0+$/, "");
  if (significant.length > decimals) {
    throw invalidArgument("inexact_amount", `the amount has more than ${decimals} decimals`);
  }
  return BigInt(whole + significant.padEnd(decimals, "0"));
}

/** Minor units as the text that a request takes: `fromMinorUnits(1250n, 2)` is `"12.50"`. */
export function fromMinorUnits(minorUnits: bigint, decimals: number): string {
  const digits = minorUnits.toString().padStart(decimals + 1, "0");
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
