import { z } from "zod";
import { currencyExponent, parseAmount } from "./money.ts";

/** Minor units by currency. */
export type AmountsByCurrency = ReadonlyMap<string, bigint>;

/** A setting with an amount for some currencies. */
export function amountsSetting() {
  const error = "must be currency:amount pairs separated by commas, such as TRY:1000.00,EUR:200.00";
  return z.string({ error }).transform((value, context): AmountsByCurrency => {
    const amounts = new Map<string, bigint>();
    for (const part of value.split(",")) {
      const [, currency = "", amount = ""] = /^([A-Z]{3}):([\d.]+)$/.exec(part.trim()) ?? [];
      const exponent = currencyExponent(currency);
      const parsed = exponent === undefined ? undefined : parseAmount(amount, exponent);
      const minor = parsed === "must_be_positive" ? 0n : parsed;
      if (typeof minor !== "bigint" || amounts.has(currency)) {
        context.addIssue({ code: "custom", message: error });
        return z.NEVER;
      }
      amounts.set(currency, minor);
    }
    return amounts;
  });
}
