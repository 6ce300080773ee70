/**
 * The currencies that the bank takes, by their ISO 4217 numbers (Nestpay protocol, request). All have two decimals: yen,
 * whose amounts no document describes, is not among them.
 */
const lettersByNumber = new Map<string, string>([
  ["949", "TRY"],
  ["840", "USD"],
  ["978", "EUR"],
  ["826", "GBP"],
  ["643", "RUB"],
  ["941", "RSD"],
  ["807", "MKD"],
  ["504", "MAD"],
  ["977", "BAM"],
]);

/** The ISO letters of the lira, the only currency with installments. */
export const LIRA = "TRY";

/** The ISO letters of a currency's number. */
export function currencyOf(number: string): string | undefined {
  return lettersByNumber.get(number);
}

/**
 * Reads an amount in major units, `1249.90` or `1249,90`, as minor units. @returns undefined for an invalid amount: no
 * digits, more than 18 of them, or more than two decimals. May be negative.
 */
export function parseAmount(text: string): bigint | undefined {
  const found = /^(-?)(\d{1,16})(?:[.,](\d{1,2}))?$/.exec(text);
  if (!found) return undefined;
  const [, sign = "", whole = "", decimals = ""] = found;
  const minor = BigInt(whole + decimals.padEnd(2, "0"));
  return sign === "-" ? -minor : minor;
}

/** An amount in major units with two decimals after `separator`. */
export function majorUnits(amountMinor: bigint, separator = "."): string {
  const sign = amountMinor < 0n ? "-" : "";
  const digits = String(amountMinor < 0n ? -amountMinor : amountMinor).padStart(3, "0");
  return `${sign}${digits.slice(0, -2)}${separator}${digits.slice(-2)}`;
}
