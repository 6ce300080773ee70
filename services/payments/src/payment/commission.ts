import { parseAmount, type CommissionPlan } from "@holdfast/contracts";

/**
 * The commission on an amount in minor units: the plan's percentage, rounded half up to the minor unit, plus its fixed
 * part where the payment is in the plan's currency. 0 without a plan.
 */
export function commissionMinor(
  amountMinor: bigint,
  currency: string,
  currencyExponent: number,
  plan: CommissionPlan | undefined,
): bigint {
  if (!plan) return 0n;
  const [whole = "0", fraction = ""] = plan.ratePercent.split(".");
  const rateTenThousandths = BigInt(whole + fraction.padEnd(4, "0"));
  const percentage = (amountMinor * rateTenThousandths + HALF) / ONE;
  if (plan.currency !== currency) return percentage;
  const fixed = parseAmount(plan.fixed, currencyExponent);
  return percentage + (typeof fixed === "bigint" ? fixed : 0n);
}

/** 100 percent in ten-thousandths of a percent. */
const ONE = 1_000_000n;
const HALF = ONE / 2n;
