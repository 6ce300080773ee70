import { CURRENCY_DECIMALS } from "./currencies.ts";

/** Money is a bigint count of minor units together with an ISO 4217 currency, whose exponent is JPY 0, TRY 2, KWD 3. */

/** The largest amount the API takes, in major units: 999 999 999.99 of any currency. */
const LARGEST_AMOUNT_MINOR_TIMES_100 = 99_999_999_999n;

/** Every currency that can be charged, by its ISO 4217 code. */
export const CURRENCIES: readonly string[] = [...CURRENCY_DECIMALS.keys()].toSorted();

/** Decimals of a currency's minor unit, or undefined for a code we do not know. Upper case only. */
export function currencyExponent(currency: string): number | undefined {
  return CURRENCY_DECIMALS.get(currency);
}

export type AmountFault = "invalid_amount" | "too_many_decimals" | "must_be_positive" | "too_large";

/**
 * Reads an amount from the source text of a JSON number. Some libraries write `12.5000` or `1.25E+1`; any
 * text for a whole number of minor units is accepted.
 *
 * @param source a number without sign and leading zeros; its exponent has at most two digits.
 * @param exponent decimals of the currency.
 * @returns minor units, or the fault.
 */
export function parseJsonAmount(source: string, exponent: number): bigint | AmountFault {
  const match = /^(0|[1-9]\d{0,24})(?:\.(\d{1,24}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(source);
  if (!match) return "invalid_amount";
  const [, whole = "", fraction = "", power = "0"] = match;
  const digits = BigInt(whole + fraction);
  const shift = Number(power) - fraction.length + exponent;
  if (shift >= 0) return inBounds(digits * 10n ** BigInt(shift), exponent);
  const divisor = 10n ** BigInt(-shift);
  return digits % divisor === 0n ? inBounds(digits / divisor, exponent) : "too_many_decimals";
}

/**
 * Reads an amount from a text that people write, in a setting or a rule.
 *
 * @param source e.g. `12.50`; exponents, signs and leading zeros are faults, and so are more decimals than there are.
 * @param exponent decimals the currency allows.
 * @returns minor units, or what is wrong.
 */
export function parseAmount(source: string, exponent: number): bigint | AmountFault {
  const match = /^(0|[1-9]\d{0,24})(?:\.(\d{1,24}))?$/.exec(source);
  if (!match) return "invalid_amount";
  const [, whole = "", fraction = ""] = match;
  if (fraction.length > exponent) return "too_many_decimals";
  return inBounds(BigInt(whole + fraction.padEnd(exponent, "0")), exponent);
}

/** True if the API takes the amount. */
export function isAmount(minor: bigint, exponent: number): boolean {
  return typeof inBounds(minor, exponent) === "bigint";
}

function inBounds(minor: bigint, exponent: number): bigint | AmountFault {
  if (minor === 0n) return "must_be_positive";
  if (minor * 100n > LARGEST_AMOUNT_MINOR_TIMES_100 * 10n ** BigInt(exponent)) return "too_large";
  return minor;
}

/** Minor units as a decimal string with all the currency's decimals: (1250n, 2) is "12.50". */
export function formatAmount(amountMinor: bigint, exponent: number): string {
  const digits = amountMinor.toString().padStart(exponent + 1, "0");
  if (exponent === 0) return digits;
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/**
 * Minor units as the JSON number the API shows. At most 13 significant digits (999 999 999.99 at exponent 4), so the
 * double's shortest decimal form is exactly the amount.
 */
export function amountToJson(amountMinor: bigint, exponent: number): number {
  return Number(formatAmount(amountMinor, exponent));
}
