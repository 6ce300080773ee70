/**
 * The installments of each month, in minor units. If the amount cannot be divided evenly, the first one is
 * larger and all others are equal. The buyer's first charge is therefore never less than announced.
 * @param totalMinor the whole amount; no interest is added to it.
 * @returns undefined if an installment would be zero.
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
