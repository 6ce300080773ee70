import { z } from "zod";
import type { FieldCode } from "../field-codes.ts";
import { currencyExponent, parseAmount } from "../money.ts";
import { ratePercentSchema } from "../percentage.ts";
import { wholeNumberSchema } from "../whole-number.ts";
import { CARD_TYPES, DOM_INT } from "./bin.ts";
import { currencySchema, INSTALLMENTS_MAX } from "./card-payment-fields.ts";

const fixed = z
  .string()
  .regex(/^(0|[1-9]\d{0,8})(\.\d{1,4})?$/, { error: "must be a decimal string" })
  .meta({
    description: "Fixed part for each payment, in major units of the plan's currency, as a decimal string",
    examples: ["0.25"],
  });

/**
 * The charge for matching payments, instead of the plan's own rate and fixed part. A criterion that is left
 * out matches every payment.
 */
export const commissionRuleSchema = z
  .object({
    cardType: z.enum(CARD_TYPES).optional().meta({ description: "Only payments with such a card" }),
    domInt: z.enum(DOM_INT).optional().meta({
      description: "Only payments with a card of the acquirer's country (DOM), or of another one (INT)",
    }),
    installmentsFrom: wholeNumberSchema(1, INSTALLMENTS_MAX, "Defaults to 1").optional(),
    installmentsTo: wholeNumberSchema(1, INSTALLMENTS_MAX, "Defaults to 12").optional(),
    ratePercent: ratePercentSchema,
    fixed,
  })
  .refine(
    (rule) => {
      const { from, to } = installmentsOf(rule);
      return from <= to;
    },
    {
      path: ["installmentsTo"],
      error: "must not be less than installmentsFrom",
      params: { code: "out_of_range" },
    },
  )
  .meta({ id: "CommissionRule", description: "Rate and fixed part of the payments that it names" });
export type CommissionRule = z.infer<typeof commissionRuleSchema>;

/** The installment counts a rule names, both ends included. */
export function installmentsOf(rule: {
  installmentsFrom?: number | undefined;
  installmentsTo?: number | undefined;
}): { from: number; to: number } {
  return { from: rule.installmentsFrom ?? 1, to: rule.installmentsTo ?? INSTALLMENTS_MAX };
}

/**
 * The charge to a merchant for each payment: a percentage of the amount plus a fixed part. The first of
 * `rules` that matches the payment decides, or else the plan's own rate and fixed part. Fixed parts are due
 * only on payments in `currency`. The commission is never more than the amount, unless `mayExceedAmount` says
 * so.
 */
export const commissionPlanSchema = z
  .object({
    ratePercent: ratePercentSchema,
    fixed,
    currency: currencySchema(),
    rules: z
      .array(commissionRuleSchema)
      .max(50)
      .optional()
      .meta({ description: "The first rule that matches a payment applies, so narrow rules come first" }),
    mayExceedAmount: z.boolean().optional().meta({
      description: "Whether the fixed part is charged in full on payments that are smaller than it",
    }),
    refundsCommission: z.boolean().optional().meta({
      description:
        "Whether a refund gives its part of the commission back, which it does unless this is `false`; of payments that are made from then on",
    }),
  })
  .check(({ value, issues }) => {
    const addFault = (path: PropertyKey[], code: FieldCode, message: string) =>
      issues.push({ code: "custom", input: value, path, params: { code }, message });
    // An unknown currency is its own fault, and does not bound the decimals.
    const exponent = currencyExponent(value.currency) ?? 4;
    for (const [path, part] of fixedParts(value)) {
      const parsed = parseAmount(part, exponent);
      if (typeof parsed !== "bigint" && parsed !== "must_be_positive") {
        addFault(path, parsed, parsed === "too_large" ? TOO_LARGE : TOO_MANY_DECIMALS);
      }
    }
    for (const [index, rule] of (value.rules ?? []).entries()) {
      if (value.rules!.slice(0, index).some((earlier) => covers(earlier, rule))) {
        addFault(
          ["rules", index],
          "never_applies",
          "never applies: an earlier rule matches all of its payments",
        );
      }
    }
  })
  .meta({
    id: "CommissionPlan",
    description: "What the merchant pays for each payment: a percentage of its amount and a fixed part",
  });
export type CommissionPlan = z.infer<typeof commissionPlanSchema>;

const TOO_LARGE = "must be at most 999999999.99";
const TOO_MANY_DECIMALS = "has more decimals than the currency";

function fixedParts(plan: {
  fixed: string;
  rules?: CommissionRule[] | undefined;
}): [PropertyKey[], string][] {
  const ofRules = (plan.rules ?? []).map((rule, index): [PropertyKey[], string] => [
    ["rules", index, "fixed"],
    rule.fixed,
  ]);
  return [[["fixed"], plan.fixed], ...ofRules];
}

/** True if `wide` names every payment that `narrow` names. */
function covers(wide: CommissionRule, narrow: CommissionRule): boolean {
  const [outer, inner] = [installmentsOf(wide), installmentsOf(narrow)];
  return (
    (wide.cardType === undefined || wide.cardType === narrow.cardType) &&
    (wide.domInt === undefined || wide.domInt === narrow.domInt) &&
    outer.from <= inner.from &&
    outer.to >= inner.to
  );
}
