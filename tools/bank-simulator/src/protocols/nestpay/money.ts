/**
 * The currencies that the bank takes, by their ISO 4217 numbers. All have two decimals: yen, whose amounts no document
 * describes, is not among them.
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

/** Reads `1249.90` or `1249,90` as minor units: up to 18 digits, two decimals at most. May be negative. */
export function parseAmount(text: string): bigint | undefined {
  const [, sign = "", whole, decimals = ""] = /^(-?)(\d{1,16})(?:[.,](\d{1,2}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(`${sign}${whole}${decimals.padEnd(2, "0")}`);
}
