import {
  installmentsOf,
  parseAmount,
  percentageMinor,
  type CommissionPlan,
  type CommissionRule,
} from "@holdfast/contracts";

/** The inputs of a payment's commission. A field that the card's BIN does not give is null and matches no rule on it. */
export type CommissionBasis = {
  amountMinor: bigint;
  currency: string;
  currencyExponent: number;
  cardType: string | null;
  domInt: "DOM" | "INT" | null;
  installmentCount: number;
};

/**
 * The commission in minor units, by the first of the plan's rules that names the payment or by the plan itself: the
 * percentage, rounded half up to the minor unit, plus the fixed part where the payment is in the plan's currency. It is at
 * most the amount, unless the plan allows more, and 0 without a plan.
 */
export function commissionMinor(basis: CommissionBasis, plan: CommissionPlan | undefined): bigint {
  if (!plan) return 0n;
  const { ratePercent, fixed } = plan.rules?.find((rule) => names(rule, basis)) ?? plan;
  const percentage = percentageMinor(basis.amountMinor, ratePercent);
  const fixedMinor = plan.currency === basis.currency ? parseAmount(fixed, basis.currencyExponent) : 0n;
  const commission = percentage + (typeof fixedMinor === "bigint" ? fixedMinor : 0n);
  return commission > basis.amountMinor && !plan.mayExceedAmount ? basis.amountMinor : commission;
}

function names(rule: CommissionRule, { cardType, domInt, installmentCount }: CommissionBasis): boolean {
  const { from, to } = installmentsOf(rule);
  return (
    (rule.cardType === undefined || rule.cardType === cardType) &&
    (rule.domInt === undefined || rule.domInt === domInt) &&
    installmentCount >= from &&
    installmentCount <= to
  );
}
