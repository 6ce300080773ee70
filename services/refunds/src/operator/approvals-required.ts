import type { AmountsByCurrency } from "../config.ts";

/** How many different people have to approve a refund. @param twoAbove amounts, by currency, above which two have to. */
export function approvalsRequired(
  { amount_minor, currency }: { amount_minor: bigint; currency: string },
  twoAbove: AmountsByCurrency,
): 1 | 2 {
  const limit = twoAbove.get(currency);
  return limit !== undefined && amount_minor > limit ? 2 : 1;
}
