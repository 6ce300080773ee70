import { currencyExponent, parseJsonAmount, type JsonNumber } from "@holdfast/contracts";

/** The amount of a validated request, in minor units. */
export function amountMinorOf({
  amount,
  currency,
}: {
  amount: Pick<JsonNumber, "source">;
  currency: string;
}): string {
  const amountMinor = parseJsonAmount(amount.source, currencyExponent(currency) ?? 0);
  if (typeof amountMinor !== "bigint") throw new Error(`an amount passed validation, but is ${amountMinor}`);
  return amountMinor.toString();
}
