import type { CommissionPlan, MerchantSettings } from "@holdfast/contracts";
import type { Insertable, Selectable } from "kysely";
import type { MerchantTable } from "../database.ts";

export const SETTINGS_COLUMNS = [
  "commission_rate_percent",
  "commission_fixed",
  "commission_currency",
  "commission_rules",
  "commission_may_exceed_amount",
  "refunds_commission",
  "rules",
] as const satisfies (keyof MerchantTable)[];

/** The settings as they are stored. */
export type SettingsColumns = Pick<Selectable<MerchantTable>, (typeof SETTINGS_COLUMNS)[number]>;

type NewMerchant = Insertable<MerchantTable>;

/** The columns of a plan; null and undefined are no plan. */
export function commissionColumns(plan: CommissionPlan | null | undefined) {
  return {
    commission_rate_percent: plan?.ratePercent ?? null,
    commission_fixed: plan?.fixed ?? null,
    commission_currency: plan?.currency ?? null,
    commission_rules: plan?.rules ? JSON.stringify(plan.rules) : null,
    commission_may_exceed_amount: plan?.mayExceedAmount ?? false,
    refunds_commission: plan?.refundsCommission ?? true,
  } satisfies Partial<NewMerchant>;
}

/** The column of the merchant's rules; null and undefined are no rules. */
export function rulesColumn(rules: MerchantSettings["rules"] | null) {
  return { rules: rules ? JSON.stringify(rules) : null } satisfies Partial<NewMerchant>;
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
    ...(!row.refunds_commission && { refundsCommission: false }),
  };
}
