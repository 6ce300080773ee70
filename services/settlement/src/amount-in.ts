import { amountToJson, currencyExponent } from "@holdfast/contracts";

/** A signed amount for answers; the amount of an unknown currency has no decimals. */
export function amountIn(minor: bigint, currency: string | null): number {
  const exponent = currencyExponent(currency ?? "") ?? 0;
  return minor < 0n ? -amountToJson(-minor, exponent) : amountToJson(minor, exponent);
}
