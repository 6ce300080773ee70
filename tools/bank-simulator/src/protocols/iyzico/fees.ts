import { UNITS_PER_MINOR } from "./wire/decimal.ts";

/** iyzico's commission of an item, in units of 0.00000001. */
export type Commission = { rateUnits: bigint; feeUnits: bigint };

/**
 * The commission of each item of a payment: 2.95 % of its amount and its part of 0.25 for the payment. A payment of
 * less than 1.00 has no fee. The last item takes the remainder.
 */
export function commissions(paidMinors: readonly bigint[]): Commission[] {
  const feeUnits = sumOf(paidMinors) < 100n ? 0n : FEE_UNITS;
  return spread(feeUnits, paidMinors).map((share, index) => ({
    rateUnits: (paidMinors[index]! * UNITS_PER_MINOR * RATE_BASIS_POINTS) / 10_000n,
    feeUnits: share,
  }));
}

const RATE_BASIS_POINTS = 295n;
const FEE_UNITS = 25_000_000n;

/** Divides a total by weights, rounded down; the last takes the remainder, so that the sum is the total. */
export function spread(total: bigint, weights: readonly bigint[]): bigint[] {
  const sum = sumOf(weights);
  const parts = weights.map((weight) => (sum === 0n ? 0n : (total * weight) / sum));
  const last = parts.length - 1;
  return parts.map((part, index) => (index === last ? part + total - sumOf(parts) : part));
}

export function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

/** The numbers of installments that a payment may have (iyzico protocol, payment body). */
export const installmentCounts = [1, 2, 3, 6, 9, 12] as const;

/** A price in this number of installments, in the unit of the price: each one costs a hundredth of it, but not one alone. */
export function inInstallments(price: bigint, count: number): bigint {
  return count === 1 ? price : (price * BigInt(100 + count)) / 100n;
}
