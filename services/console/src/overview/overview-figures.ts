import type { ApiPaymentResponse } from "@holdfast/contracts";

type PaymentOfToday = {
  accountId?: string | undefined;
  payment: Pick<ApiPaymentResponse, "amount" | "currency" | "paymentDate" | "status">;
};

/** The approved volume in one currency, by hour of the day in UTC, from the first hour with a payment to the last. */
export type HourlyVolume = {
  currency: string;
  hours: { hour: number; amount: number; count: number }[];
};

/** The statuses of a payment that the bank has approved, even if it was cancelled later. */
const APPROVED: ReadonlySet<string> = new Set(["SUCCESS", "CAPTURED", "CANCELLED"]);

/** Currencies with the most approved payments first. */
export function hourlyVolumes(payments: readonly PaymentOfToday[]): HourlyVolume[] {
  const approved = payments.filter(({ payment }) => APPROVED.has(payment.status));
  const byCurrency = Map.groupBy(approved, ({ payment }) => payment.currency);
  return [...byCurrency]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([currency, of]) => ({ currency, hours: hoursOf(of) }));
}

function hoursOf(payments: readonly PaymentOfToday[]): HourlyVolume["hours"] {
  const byHour = Map.groupBy(payments, ({ payment }) => new Date(payment.paymentDate).getUTCHours());
  const [first, last] = [Math.min(...byHour.keys()), Math.max(...byHour.keys())];
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const of = byHour.get(first + index) ?? [];
    return { hour: first + index, amount: sumOf(of), count: of.length };
  });
}

/** Amounts have four decimals at most; their sum as a binary fraction would show more. */
function sumOf(payments: readonly PaymentOfToday[]): number {
  return payments.reduce((sum, { payment }) => sum + Math.round(payment.amount * 10_000), 0) / 10_000;
}

/**
 * The approved share of the banks' answers, by account; undefined is the installation's own. A payment that merchant
 * rules have rejected was sent to no bank.
 */
export function approvalRates(
  payments: readonly PaymentOfToday[],
): { accountId: string | undefined; approved: number; answered: number }[] {
  const answered = payments.filter(({ payment: { status } }) => APPROVED.has(status) || status === "FAILED");
  return [...Map.groupBy(answered, ({ accountId }) => accountId)].map(([accountId, of]) => ({
    accountId,
    approved: of.filter(({ payment }) => APPROVED.has(payment.status)).length,
    answered: of.length,
  }));
}

/** Counts ages by group. @param limitsMs upper ends of all groups but the last, rising. */
export function countByAge(agesMs: readonly number[], limitsMs: readonly number[]): number[] {
  const counts = Array.from({ length: limitsMs.length + 1 }, () => 0);
  for (const age of agesMs) {
    const group = limitsMs.findIndex((limit) => age < limit);
    counts[group === -1 ? limitsMs.length : group]! += 1;
  }
  return counts;
}
