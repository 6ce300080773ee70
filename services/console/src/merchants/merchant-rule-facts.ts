import type { MerchantRules } from "@holdfast/contracts";
import { amountText } from "../ui/format.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";
import type { Reader } from "../ui/page-context.ts";

/** The rules of a merchant that are on, each in words. */
export function ruleFacts(reader: Reader, rules: MerchantRules): (readonly [string, string | undefined])[] {
  const { ruleNames, attemptsRule, declineRule, span } = MERCHANT_TEXTS[reader.language];
  const { largestAmounts, attemptsPerCard, attemptsPerIp, declineRate } = rules;
  const attempts = (rule: typeof attemptsPerCard) => rule && attemptsRule(rule.max, span(rule.windowSeconds));
  return [
    [
      ruleNames.largestAmounts,
      largestAmounts?.map(({ amount, currency }) => amountText(reader, Number(amount), currency)).join("; "),
    ],
    [ruleNames.attemptsPerCard, attempts(attemptsPerCard)],
    [ruleNames.attemptsPerIp, attempts(attemptsPerIp)],
    [
      ruleNames.declineRate,
      declineRate &&
        declineRule(declineRate.percent, declineRate.minimumCount, span(declineRate.windowSeconds)),
    ],
  ];
}
