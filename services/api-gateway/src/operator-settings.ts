import { DEFAULT_MERCHANT_RULES, type MerchantRules } from "@holdfast/contracts";
import { durationSetting } from "@holdfast/service-runtime";
import { z } from "zod";
import { operatorKeySettings } from "./operator-keys/operator-key-settings.ts";

/** Settings of the operator API alone. */
export const operatorSettings = {
  ...operatorKeySettings,
  CREDENTIAL_AGE_MAX: durationSetting({ min: "1d", max: "3650d" })
    .default(31_536_000_000)
    .describe(
      "The age from which a merchant's credential is to be replaced. It still signs in; the operators' listener counts it in `holdfast.credentials.due`, as it does one that ends within two weeks.",
    ),
  DEFAULT_MERCHANT_RULES: z
    .enum(["on", "off"], { error: "must be on or off" })
    .default("on")
    .describe(
      "Whether a merchant that operators create without `rules` gets the default ones against card testing ([operators.md](operators.md#merchants)). Of the operator API.",
    ),
};

export type RulesSetting = { DEFAULT_MERCHANT_RULES: "on" | "off" };

/** The rules of a merchant that operators create without any. */
export function defaultRulesOf(config: RulesSetting): MerchantRules | undefined {
  return config.DEFAULT_MERCHANT_RULES === "on" ? DEFAULT_MERCHANT_RULES : undefined;
}
