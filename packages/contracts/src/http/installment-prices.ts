import { z } from "zod";
import type { FieldCode } from "../field-codes.ts";
import { ratePercentSchema } from "../percentage.ts";
import { textSchema } from "../text.ts";
import { wholeNumberSchema } from "../whole-number.ts";
import { proposalSchema } from "./acquirer-accounts.ts";
import { INSTALLMENTS_MAX } from "./card-payment-fields.ts";

/**
 * The most prices of one account. An aggregator of banks has 11 groups of cards (10 programmes, and cards
 * without one) with 11 numbers of installments each, and twice as many before a change: 242. A full list has
 * 30 KiB of the 32 KiB that a request may have, and 13 KiB in the audit log.
 */
export const INSTALLMENT_PRICES_MAX = 250;

/** The cost of one number of installments with one programme's cards at an account, for a time. */
export const installmentPriceSchema = z
  .object({
    loyaltyCode: textSchema(1, 32)
      .optional()
      .meta({ description: "The programme of the cards; left out: cards without one", examples: ["BONUS"] }),
    installmentCount: wholeNumberSchema(2, INSTALLMENTS_MAX, "The number of installments"),
    payer: z.enum(["MERCHANT", "BUYER"]).meta({
      description: "Who pays for them: with BUYER the rate is added to the price of the order",
    }),
    ratePercent: ratePercentSchema.meta({
      description: "Percentage of the order's price, as a decimal string with at most 4 decimals",
      examples: ["3.75"],
    }),
    from: z.iso.date().meta({ description: "The first day of the price, in the account's time zone" }),
    to: z.iso
      .date()
      .optional()
      .meta({ description: "The first day on which it is no longer the price; left out: it has no end" }),
  })
  .meta({ id: "InstallmentPrice" });
export type InstallmentPrice = z.infer<typeof installmentPriceSchema>;

/** All prices of an account. Of two that would be the price of the same day, the later in the list is refused. */
export const installmentPriceListSchema = z
  .array(installmentPriceSchema)
  .max(INSTALLMENT_PRICES_MAX)
  .check(({ value, issues }) => {
    for (const [index, price] of value.entries()) {
      const addFault = (field: keyof InstallmentPrice, code: FieldCode, message: string) =>
        issues.push({ code: "custom", input: value, path: [index, field], params: { code }, message });
      if (price.payer === "BUYER" && NOTHING.test(price.ratePercent))
        addFault("ratePercent", "too_small", "must be more than 0 where the buyer pays");
      if (price.to !== undefined && price.to <= price.from)
        addFault("to", "invalid_range", "must be after `from`");
      else if (value.slice(0, index).some((earlier) => overlap(earlier, price)))
        addFault(
          "from",
          "duplicate",
          "is in the time of an earlier price of the same cards and installments",
        );
    }
  });

function overlap(one: InstallmentPrice, other: InstallmentPrice): boolean {
  return (
    one.loyaltyCode === other.loyaltyCode &&
    one.installmentCount === other.installmentCount &&
    isBefore(one.from, other.to) &&
    isBefore(other.from, one.to)
  );
}

/** True if a day is before an end; days compare as texts. */
export function isBefore(day: string, end: string | undefined): boolean {
  return end === undefined || day < end;
}

/** A rate that adds nothing to any amount. Malformed rates come here, too, and are refused anyway. */
const NOTHING = /^0(\.0+)?$/;

export const installmentPricesSchema = z
  .object({
    prices: z.array(installmentPriceSchema).meta({ description: "The prices in use" }),
    version: z.int().optional().meta({ description: "The account's version in use" }),
    proposal: proposalSchema
      .extend({ prices: z.array(installmentPriceSchema).meta({ description: "The prices it would have" }) })
      .optional()
      .meta({ description: "The account's version that another person has to confirm" }),
  })
  .meta({ id: "InstallmentPrices" });
export type InstallmentPrices = z.infer<typeof installmentPricesSchema>;

export const replaceInstallmentPricesRequestSchema = z
  .object({
    version: wholeNumberSchema(
      1,
      1_000_000,
      "The account's newest version that was read: the proposal's, or without one that in use",
    ),
    prices: installmentPriceListSchema.meta({ description: "All prices" }),
  })
  .meta({ id: "ReplaceInstallmentPricesRequest" });
