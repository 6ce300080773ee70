/**
 * Numeric codes of ISO 4217. All have two decimals: the banks' treatment of a currency without any is not documented.
 */
const NUMERIC_CODES = { TRY: "949", USD: "840", EUR: "978", GBP: "826" } as const;
export type NestpayCurrency = keyof typeof NUMERIC_CODES;

export const NESTPAY_CURRENCIES = Object.keys(NUMERIC_CODES) as NestpayCurrency[];

/** An amount and a currency that the protocol can carry, as it writes them. */
export type WrittenAmount = { total: string; currency: string };

/**
 * @returns `{ total: "1249.90", currency: "949" }` for 124990 minor units of TRY; undefined for another currency, and for an
 * amount that is not positive or has more than the protocol's 18 digits.
 */
export function writeAmount(amountMinor: bigint, currency: string): WrittenAmount | undefined {
  if (!isNestpayCurrency(currency) || amountMinor <= 0n || amountMinor > AMOUNT_MINOR_MAX) return undefined;
  const digits = String(amountMinor).padStart(DECIMALS + 1, "0");
  const total = `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
  return { total, currency: NUMERIC_CODES[currency] };
}

/** @returns minor units of a decimal text with a point or a comma, or undefined where it is none. */
export function readDecimal(text: string): bigint | undefined {
  const [, major, minor = ""] = /^(\d{1,16})(?:[.,](\d{1,2}))?$/.exec(text) ?? [];
  return major === undefined ? undefined : BigInt(major + minor.padEnd(DECIMALS, "0"));
}

/** @returns the minor units that an inquiry's answer has, which are digits without a separator, or undefined. */
export function readMinorUnits(text: string): bigint | undefined {
  return /^\d{1,18}$/.test(text) ? BigInt(text) : undefined;
}

function isNestpayCurrency(currency: string): currency is NestpayCurrency {
  return Object.hasOwn(NUMERIC_CODES, currency);
}

const DECIMALS = 2;
const AMOUNT_MINOR_MAX = 10n ** 18n - 1n;
