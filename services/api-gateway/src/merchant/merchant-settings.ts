import type { CommissionPlan, MerchantRules, MerchantSettings } from "@holdfast/contracts";

/** The settings as they are stored. */
export type SettingsColumns = {
  commission_rate_percent: string | null;
  commission_fixed: string | null;
  commission_currency: string | null;
  commission_rules: NonNullable<CommissionPlan["rules"]> | null;
  commission_may_exceed_amount: boolean;
  rules: MerchantRules | null;
};

export const SETTINGS_COLUMNS = `commission_rate_percent, commission_fixed, commission_currency, commission_rules,
  commission_may_exceed_amount, rules`;

/** The settings as values of {@link SETTINGS_COLUMNS}, in their order. */
export function settingsValues({ commission, rules }: MerchantSettings): unknown[] {
  return [
    commission?.ratePercent,
    commission?.fixed,
    commission?.currency,
    // pg would make a Postgres array of a list.
    commission?.rules && JSON.stringify(commission.rules),
    commission?.mayExceedAmount ?? false,
    rules && JSON.stringify(rules),
  ];
}

export function settingsOf(row: SettingsColumns): MerchantSettings {
  const commission = commissionOf(row);
  return { ...(commission && { commission }), ...(row.rules && { rules: row.rules }) };
}

function commissionOf(row: SettingsColumns): CommissionPlan | undefined {
  const {
    commission_rate_percent: ratePercent,
    commission_fixed: fixed,
    commission_currency: currency,
    commission_rules: rules,
  } = row;
  if (ratePercent === null || fixed === null || currency === null) return undefined;
  return {
    ratePercent,
    fixed,
    currency,
    ...(rules && { rules }),
    ...(row.commission_may_exceed_amount && { mayExceedAmount: true }),
  };
}
