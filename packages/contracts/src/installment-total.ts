import { installmentAmounts } from "./installment-amounts.ts";
import { isBefore, type InstallmentPrice } from "./http/installment-prices.ts";
import { percentageMinor } from "./percentage.ts";

/** The inputs of what a card is charged: an order's price, the card's programme, and the day at the account. */
export type InstallmentBasis = {
  amountMinor: bigint;
  installmentCount: number;
  loyaltyCode: string | null;
  /** YYYY-MM-DD in the account's time zone. */
  day: string;
};

/**
 * The total amount that a card is charged, in minor units: the order's price, plus the rate if the buyer pays
 * for the installments. Without a rate the merchant pays for them.
 */
export function installmentTotal(prices: readonly InstallmentPrice[], basis: InstallmentBasis): bigint {
  const { amountMinor, installmentCount, loyaltyCode, day } = basis;
  const price = prices.find(
    (each) =>
      each.installmentCount === installmentCount &&
      (each.loyaltyCode ?? null) === loyaltyCode &&
      each.from <= day &&
      isBefore(day, each.to),
  );
  if (price?.payer !== "BUYER") return amountMinor;
  return amountMinor + percentageMinor(amountMinor, price.ratePercent);
}

/** Each installment of a total, the first one first. @returns undefined if one would be nothing. */
export function installmentParts(totalMinor: bigint, count: number): bigint[] | undefined {
  const amounts = installmentAmounts(totalMinor, count);
  if (!amounts) return undefined;
  return [amounts.firstMinor, ...Array.from({ length: count - 1 }, () => amounts.furtherMinor)];
}

/** The day of an instant in a time zone, YYYY-MM-DD. */
export function dayIn(timeZone: string, at: Date): string {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toString();
}

/** The amount that the card was charged, of a payment's record: refunds and captures are parts of it. */
export function chargedAmount({
  amount,
  installmentTotal,
}: {
  amount: number;
  installmentTotal?: number | undefined;
}): number {
  return installmentTotal ?? amount;
}
