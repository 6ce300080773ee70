import { z } from "zod";

import { merchantList, merchantTerms, type TerminalConfig } from "../../core/index.ts";

/** The bank's modes; `README.md` describes each. The first value of a list is the default. */
export const modesSchema = z.strictObject({
  access: oneOf(["open", "wrong_address", "older_refusal", "blocked", "firewall", "outage"]),
  macs: oneOf(["both", "resolve", "none"]),
  packets: oneOf(["open", "opaque"]),
  mdStatus: oneOf(["own", "nine", "empty"]),
  checksAuthentication: z.boolean().default(false),
  encoding: oneOf(["utf-8", "iso-8859-9", "utf-16"]),
  paddedValues: z.boolean().default(false),
  comments: z.boolean().default(false),
  hostLogKeyCase: z.boolean().default(false),
  successText: oneOf(["", "00", "(TR:=Basarili.)"]),
  refusalsNameAnother: z.boolean().default(false),
  repeats: oneOf(["answered", "approved", "refused", "exists"]),
  comparesAmounts: z.boolean().default(false),
  declinedUsesOrderId: z.boolean().default(false),
  captureName: oneOf(["own", "hold"]),
  captureMaxPercent: z.int().min(1).max(999).default(100),
  holdsLapse: z.boolean().default(false),
  reverseName: oneOf(["own", "target"]),
  unknownReverse: oneOf(["refused", "no_record", "approved"]),
  voidLiftsHold: z.boolean().default(false),
  closedCode: oneOf(["0211", "0122", "0123", "0217"]),
  refundsSameDay: z.boolean().default(true),
  overCode: oneOf(["0205", "0005"]),
  orderPrefix: oneOf(["TDS_", "TDSC"]),
  leadingZeros: oneOf(["kept", "hidden", "unfound"]),
  amounts: oneOf(["comma", "grouped", "point", "minor"]),
  rows: oneOf(["list", "flat", "split"]),
  newestFirst: z.boolean().default(false),
  voidsShown: oneOf(["both", "row", "status"]),
  capturedHoldCounts: z.boolean().default(true),
  listsDeclines: z.boolean().default(true),
});
export type Modes = z.output<typeof modesSchema>;
export const defaultModes: Modes = modesSchema.parse({});

function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values).default(values[0] as never);
}

/** One merchant and its terminal. The key is never logged or written. */
export type Merchant = z.output<typeof merchantSchema>;

const merchantSchema = z.strictObject({
  mid: z.string().regex(/^\d{10}$/),
  tid: z.string().regex(/^\d{8}$/),
  posnetId: z.string().regex(/^\d{1,16}$/),
  encKey: z.string().min(1).max(255),
  options: z
    .strictObject({
      ...merchantTerms,
      installmentsMax: z.int().min(0).max(99).default(9),
      /** The BINs of the bank's own cards, which take installments and voids of refunds; empty: all. */
      programmeBins: z.array(z.string().max(8)).max(100).default([]),
      /** The addresses from which the merchant calls; empty: all. */
      addresses: z.array(z.string().max(45)).max(20).default([]),
      /** Order ids of 1 to 24 characters, each used up for a day only. */
      orderIdParameter: z.boolean().default(false),
      installmentPayout: z.enum(["monthly", "lump_sum"]).default("monthly"),
    })
    .prefault({}),
});

/** At most twenty merchants, each terminal once. */
export const merchantsSchema = merchantList(merchantSchema, "tid", "terminal");

/** The simulator's settings at its start. */
export type SimulatorConfig = TerminalConfig<Merchant, Modes>;
