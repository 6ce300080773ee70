import { z } from "zod";

import { merchantList, merchantTerms, type TerminalConfig } from "../../core/index.ts";

/** The bank's modes; `README.md` describes each. */
export const modesSchema = z.strictObject({
  access: z.enum(["open", "wrong_password", "closed", "address_not_allowed", "outage"]).default("open"),
  answerHash: z.enum(["right", "missing", "sha1"]).default("right"),
  signsBadCredentials: z.boolean().default(false),
  paddedValues: z.boolean().default(false),
  sharedTerminal: z.boolean().default(false),
  voidedFreesOrderId: z.boolean().default(false),
  declinedUsesOrderId: z.boolean().default(false),
  voidHoldsAfterDay: z.boolean().default(false),
  voidReturnsHold: z.boolean().default(false),
  holdsLapse: z.boolean().default(false),
  captureMaxPercent: z.int().min(1).max(999).default(100),
  halfSecure: z.boolean().default(true),
  voidsShown: z.enum(["date", "row", "both"]).default("date"),
  captureInPlace: z.boolean().default(false),
  listsRefusals: z.boolean().default(true),
});
export type Modes = z.output<typeof modesSchema>;
export const defaultModes: Modes = modesSchema.parse({});

/** One merchant and its terminal. The passwords and the store key are never logged or written. */
export type Merchant = z.output<typeof merchantSchema>;

const secret = z.string().min(1).max(255);
const number = z.string().regex(/^\d{1,9}$/);
const optionsSchema = z.strictObject({
  ...merchantTerms,
  /** The BINs of the cards that take installments; empty: all. */
  programmeBins: z.array(z.string().max(8)).max(100).default([]),
  mailOrder: z.boolean().default(false),
  installmentPayout: z.enum(["monthly", "lump_sum"]).default("monthly"),
});
const merchantSchema = z.strictObject({
  merchantId: number,
  terminalId: number,
  /** PROVAUT pays, captures and inquires. */
  password: secret,
  /** PROVRFN voids and refunds. */
  refundPassword: secret,
  storeKey: secret,
  options: optionsSchema.prefault({}),
});

/** At most twenty merchants, each terminal once. */
export const merchantsSchema = merchantList(merchantSchema, "terminalId", "terminal");

/** The simulator's settings at its start. */
export type SimulatorConfig = TerminalConfig<Merchant, Modes>;
