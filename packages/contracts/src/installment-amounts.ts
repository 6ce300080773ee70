/**
 * The installments of each month, in minor units. The first one is larger where the amount cannot be divided: it is on
 * the next statement, so that the buyer's first charge is never less than announced, and all the others are equal.
 *
 * @param totalMinor the whole amount; no interest is added to it.
 * @returns undefined where an installment would be nothing.
 */
export function installmentAmounts(
  totalMinor: bigint,
  count: number,
): { firstMinor: bigint; furtherMinor: bigint } | undefined {
  const parts = BigInt(count);
  const furtherMinor = totalMinor / parts;
  if (furtherMinor === 0n) return undefined;
  return { firstMinor: furtherMinor + (totalMinor % parts), furtherMinor };
}
