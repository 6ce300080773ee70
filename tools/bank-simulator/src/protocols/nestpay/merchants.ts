import { z } from "zod";

import { rulesSchema, type Modes, type Rules } from "./modes.ts";

/** One merchant and its terminal. The password and the store key are never logged or written. */
export type Merchant = z.output<typeof merchantSchema>;

const optionsSchema = rulesSchema.partial().extend({
  terminalId: z
    .string()
    .regex(/^\d{1,10}$/)
    .default("00990001"),
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
  cvvRequired: z.boolean().default(true),
  /** The addresses from which the merchant may call; empty: all. */
  allowedAddresses: z.array(z.string().max(45)).max(50).default([]),
  /** The bank's commission, in hundredths of a per cent of the gross amount. */
  commissionBasisPoints: z.int().min(0).max(10_000).default(199),
  /** Days from a movement to its value date; each further installment comes 30 days later. */
  blockedDays: z.int().min(0).max(90).default(1),
});

const merchantSchema = z.strictObject({
  clientId: z.string().regex(/^\d{1,15}$/),
  name: z.string().min(1).max(255),
  password: z.string().min(1).max(255),
  storeKey: z.string().min(1).max(255),
  options: optionsSchema.prefault({}),
});

/** At most twenty merchants, each client id once. */
export const merchantsSchema = z
  .array(merchantSchema)
  .min(1)
  .max(20)
  .refine((merchants) => new Set(merchants.map(({ clientId }) => clientId)).size === merchants.length, {
    error: "must have each client id once",
  });

/** The rules for one merchant: its own options, and the bank's modes for the others. */
export function rulesFor({ options }: Merchant, modes: Modes): Rules {
  const own = Object.entries(options).filter(
    ([name, value]) => name in rulesSchema.shape && value !== undefined,
  );
  return { ...modes, ...Object.fromEntries(own) };
}
