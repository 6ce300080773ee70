/** The numbers of installments that a payment may have (iyzico protocol, payment body). */
export const installmentCounts = [1, 2, 3, 6, 9, 12] as const;

/** The surcharge of each number of installments, in hundredths. */
const surcharges = new Map<number, bigint>([
  [1, 0n],
  [2, 2n],
  [3, 3n],
  [6, 6n],
  [9, 9n],
  [12, 12n],
]);

/** The cost of a price in each number of installments, in units of 0.00000001; a debit card pays in one. */
export function installmentPrices(
  priceUnits: bigint,
  isDebit: boolean,
): { installmentNumber: number; totalUnits: bigint; installmentUnits: bigint }[] {
  return installmentCounts
    .filter((count) => count === 1 || !isDebit)
    .map((installmentNumber) => {
      const totalUnits = (priceUnits * (100n + (surcharges.get(installmentNumber) ?? 0n))) / 100n;
      return { installmentNumber, totalUnits, installmentUnits: totalUnits / BigInt(installmentNumber) };
    });
}
