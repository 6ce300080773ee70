import { z } from "zod";
import type { FieldCode } from "../field-codes.ts";
import { currencyExponent, parseAmount } from "../money.ts";
import { wholeNumberSchema } from "../whole-number.ts";
import { AMOUNT_FAULT_MESSAGES, currencySchema } from "./card-payment-fields.ts";

const windowSeconds = wholeNumberSchema(1, 86_400, "Length of the sliding window, in seconds");

/** At most `max` payments go to the bank within any `windowSeconds`; rejected payments do not count. */
const attemptsSchema = z
  .object({
    max: wholeNumberSchema(1, 1_000, "Number of payments that go to the bank within the window"),
    windowSeconds,
  })
  .meta({ id: "AttemptsRule", description: "How many payments may go to the bank within a sliding window" });

const largestAmountsSchema = z
  .array(
    z.object({
      currency: currencySchema(),
      amount: z.string().meta({
        pattern: "^(0|[1-9][0-9]{0,8})(\\.[0-9]{1,4})?$",
        description: "More than 0, with at most as many decimals as the currency has",
        examples: ["5000.00"],
      }),
    }),
  )
  .max(200)
  .check(({ value, issues }) => {
    const addFault = (index: number, field: string, code: FieldCode, message: string) =>
      issues.push({ code: "custom", input: value, path: [index, field], params: { code }, message });
    for (const [index, { currency, amount }] of value.entries()) {
      // An unknown currency is its own fault, and does not bound the decimals.
      const exponent = currencyExponent(currency);
      if (exponent === undefined) continue;
      if (value.findIndex((other) => other.currency === currency) < index) {
        addFault(index, "currency", "duplicate", "already has an amount");
      }
      const parsed = parseAmount(amount, exponent);
      if (typeof parsed !== "bigint") addFault(index, "amount", parsed, AMOUNT_FAULT_MESSAGES[parsed]);
    }
  })
  .meta({
    description:
      "Largest amount of a payment in each currency, in major units as a decimal string; other currencies " +
      "have no limit",
    examples: [[{ currency: "TRY", amount: "5000.00" }]],
  });

/**
 * The merchant rules: a payment that breaks one is REJECTED and never sent to the bank. They apply to
 * pre-authorizations and sales; a rule that is left out is off.
 */
export const merchantRulesSchema = z
  .object({
    largestAmounts: largestAmountsSchema.optional(),
    attemptsPerCard: attemptsSchema.optional().meta({ description: "Counts payments with one card" }),
    attemptsPerIp: attemptsSchema.optional().meta({
      description: "Counts payments by their requestIp; all IPv6 addresses of a /64 count as one",
    }),
    declineRate: z
      .object({
        percent: wholeNumberSchema(
          1,
          100,
          "Percentage of declined payments from which the rule rejects payments",
        ),
        minimumCount: wholeNumberSchema(
          1,
          500,
          "Number of answers of the bank below which the rule does not apply",
        ),
        windowSeconds,
      })
      .optional()
      .meta({
        description: "Counts the bank's answers to the merchant's latest payments, at most 500 of them",
      }),
  })
  .meta({
    id: "MerchantRules",
    description:
      "What breaks one of these is REJECTED and never sent to the bank; each is off where it is left out",
  });
export type MerchantRules = z.infer<typeof merchantRulesSchema>;

/**
 * The rules of a merchant that is created without: enough for people who mistype, and for many behind one address, and far
 * below what a card tester needs.
 */
export const DEFAULT_MERCHANT_RULES: MerchantRules = {
  attemptsPerCard: { max: 10, windowSeconds: 3_600 },
  attemptsPerIp: { max: 100, windowSeconds: 3_600 },
  declineRate: { percent: 80, minimumCount: 100, windowSeconds: 3_600 },
};
