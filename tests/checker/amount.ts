/** Minor units of a decimal number's text, or undefined if it has more decimals than the currency. */
export function minorUnits(decimal: string, currency: string): bigint | undefined {
  const exponent = exponents[currency];
  const [, whole = "", fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (exponent === undefined || whole === "" || fraction.length > exponent) return undefined;
  return BigInt(whole + fraction.padEnd(exponent, "0"));
}

/** ISO 4217 exponents of the currencies the workload pays in. */
const exponents: Record<string, number> = { TRY: 2, EUR: 2, USD: 2, JPY: 0, KWD: 3 };
