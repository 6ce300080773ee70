import { z } from "zod";

import { merchantList, merchantTerms } from "../../core/index.ts";
import { rulesSchema, type Modes, type Rules } from "./modes.ts";

/** One merchant and its terminal. The password and the store key are never logged or written. */
export type Merchant = z.output<typeof merchantSchema>;

const optionsSchema = rulesSchema.partial().extend({
  terminalId: z
    .string()
    .regex(/^\d{1,10}$/)
    .default("00990001"),
  ...merchantTerms,
  cvvRequired: z.boolean().default(true),
  /** The addresses from which the merchant may call; empty: all. */
  allowedAddresses: z.array(z.string().max(45)).max(50).default([]),
});

const merchantSchema = z.strictObject({
  clientId: z.string().regex(/^\d{1,15}$/),
  name: z.string().min(1).max(255),
  password: z.string().min(1).max(255),
  storeKey: z.string().min(1).max(255),
  options: optionsSchema.prefault({}),
});

/** At most twenty merchants, each client id once. */
export const merchantsSchema = merchantList(merchantSchema, "clientId", "client id");

/** The rules for one merchant: its own options, and the bank's modes for the remaining ones. */
export function rulesFor({ options }: Merchant, modes: Modes): Rules {
  const own = Object.entries(options).filter(
    ([name, value]) => name in rulesSchema.shape && value !== undefined,
  );
  return { ...modes, ...Object.fromEntries(own) };
}
