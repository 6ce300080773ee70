import { z } from "zod";
import { currencyExponent, parseAmount } from "../money.ts";
import { wholeNumberSchema } from "../whole-number.ts";
import { AMOUNT_FAULT_MESSAGES } from "./card-payment-fields.ts";

const windowSeconds = wholeNumberSchema(1, 86_400, "The time that is looked back on, sliding");

/** At most `max` payments go to the bank within any `windowSeconds`; what is rejected does not count. */
const attemptsSchema = z
  .object({ max: wholeNumberSchema(1, 1_000), windowSeconds })
  .meta({ id: "AttemptsRule" });

const largestAmountsSchema = z
  .array(z.object({ currency: z.string(), amount: z.string() }))
  .max(200)
  .check(({ value, issues }) => {
    const addFault = (index: number, field: string, code: string, message: string) =>
      issues.push({ code: "custom", input: value, path: [index, field], params: { code }, message });
    for (const [index, { currency, amount }] of value.entries()) {
      const exponent = currencyExponent(currency);
      if (exponent === undefined) {
        addFault(index, "currency", "invalid_currency", "must be an ISO 4217 code in upper case");
        continue;
      }
      if (value.findIndex((other) => other.currency === currency) < index) {
        addFault(index, "currency", "duplicate", "has an amount already");
      }
      const parsed = parseAmount(amount, exponent);
      if (typeof parsed !== "bigint") addFault(index, "amount", parsed, AMOUNT_FAULT_MESSAGES[parsed]);
    }
  })
  .meta({
    description: "In major units, as decimal strings; currencies that are not listed have no limit",
    examples: [[{ currency: "TRY", amount: "5000.00" }]],
  });

/**
 * Rules of the gateway's own for one merchant: what breaks one is REJECTED and never sent to the bank. They hold for
 * pre-authorizations and sales; each is off where it is left out.
 */
export const merchantRulesSchema = z
  .object({
    largestAmounts: largestAmountsSchema.optional(),
    attemptsPerCard: attemptsSchema.optional(),
    attemptsPerIp: attemptsSchema.optional().meta({
      description: "By the payment's requestIp; an IPv6 address counts with its whole /64",
    }),
    declineRate: z
      .object({
        percent: wholeNumberSchema(1, 100, "From this share of declined payments on"),
        minimumCount: wholeNumberSchema(1, 500, "Answers of the bank below which the rule says nothing"),
        windowSeconds,
      })
      .optional()
      .meta({ description: "Over the bank's answers to the merchant's latest payments, 500 at most" }),
  })
  .meta({ id: "MerchantRules" });
export type MerchantRules = z.infer<typeof merchantRulesSchema>;
