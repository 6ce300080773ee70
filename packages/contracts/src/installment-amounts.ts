/**
 * What the buyer pays in each month, in minor units. The first installment is the larger one where the amount cannot be
 * divided: it is on the next statement, so that what a buyer sees first is never less than was told, and all the others
 * are equal.
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
