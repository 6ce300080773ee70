import { z } from "zod";

import { merchantList, merchantTerms, type TerminalConfig } from "../../core/index.ts";

/** The bank's modes; `README.md` describes each. */
export const modesSchema = z.strictObject({
  access: z.enum(["open", "wrong_key", "outage"]).default("open"),
  dateToleranceSeconds: z.int().min(1).max(864_000).default(21_600),
  gatewayRefusalsUseOrder: z.boolean().default(false),
  voidHoldsAfterDay: z.boolean().default(false),
  cancelBesideRefund: z.enum(["refused", "undoes_refund"]).default("refused"),
  refundShownBy: z.enum(["row", "row_and_status", "status"]).default("row_and_status"),
  halfSecure: z.boolean().default(true),
  bindsAmount: z.boolean().default(true),
  returnList: z.enum(["with_amount", "without_amount"]).default("with_amount"),
  newestFirst: z.boolean().default(true),
  listsDeclines: z.boolean().default(true),
});
export type Modes = z.output<typeof modesSchema>;
export const defaultModes: Modes = modesSchema.parse({});

/** One merchant and its terminal. The key is never logged or written. */
export type Merchant = z.output<typeof merchantSchema>;

const safeId = z.string().regex(/^[0-9A-F]{32}$/);
const merchantSchema = z.strictObject({
  merchantSafeId: safeId,
  terminalSafeId: safeId,
  secretKey: z.string().min(1).max(255),
  options: z
    .strictObject({
      ...merchantTerms,
      /** The BINs of the bank's own cards, which take installments; empty: all. */
      programmeBins: z.array(z.string().max(8)).max(100).default([]),
      installmentPayout: z.enum(["monthly", "lump_sum"]).default("monthly"),
    })
    .prefault({}),
});

/** At most twenty merchants, each terminal once. */
export const merchantsSchema = merchantList(merchantSchema, "terminalSafeId", "terminal");

/** The simulator's settings at its start. */
export type SimulatorConfig = TerminalConfig<Merchant, Modes>;
