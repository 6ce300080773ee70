import { z } from "zod";

/** The terms of a merchant that every bank of Turkey has. */
export const merchantTerms = {
  merchantName: z
    .string()
    .regex(/^[\x20-\x7e\xa0-\xffĞİŞğış]{1,60}$/)
    .default("HOLDFAST TEST"),
  /** The most installments; 0: none are permitted to the merchant. */
  installmentsMax: z.int().min(0).max(99).default(12),
  /** ISO 4217 letters. */
  currencies: z
    .array(z.string().regex(/^[A-Z]{3}$/))
    .max(20)
    .default(["TRY", "USD", "EUR", "GBP"]),
  /** The bank's commission, in hundredths of a per cent of the gross amount. */
  commissionBasisPoints: z.int().min(0).max(10_000).default(199),
  /** Days from a movement to its value date; each further installment comes 30 days later. */
  blockedDays: z.int().min(0).max(90).default(1),
};

/** A list of at most twenty merchants. @param name the field that identifies a merchant */
export function merchantList<Schema extends z.ZodType>(
  merchant: Schema,
  name: keyof z.output<Schema> & string,
  label: string,
) {
  return z
    .array(merchant)
    .min(1)
    .max(20)
    .refine((merchants) => new Set(merchants.map((each) => each[name])).size === merchants.length, {
      error: `must have each ${label} once`,
    });
}
