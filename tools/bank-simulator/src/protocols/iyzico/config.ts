import { z } from "zod";

import { bankDefaults, bankSettings, duration, jsonSetting, type BankConfig } from "../../core/index.ts";
import { defaultModes, modesSchema, type Modes } from "./modes.ts";

/** A merchant of iyzico and its keys. */
export type Merchant = z.output<typeof merchantSchema>;

// A part of the text of the authorization header may not contain its separators.
const key = z.string().regex(/^[A-Za-z0-9_-]{4,100}$/, "must have 4 to 100 letters, digits, - and _");

const merchantSchema = z.strictObject({
  apiKey: key,
  secretKey: key,
  merchantId: z.string().regex(/^[1-9]\d{0,14}$/, "must be a number of at most 15 digits, as text"),
  webhookUrl: z.url({ protocol: /^https?$/ }).optional(),
});

/** A list of merchants, each with keys and an id of its own. */
const merchantsSchema = z
  .array(merchantSchema)
  .min(1)
  .max(100)
  .refine((merchants) => isUnique(merchants.map(({ apiKey }) => apiKey)), "has an apiKey twice")
  .refine((merchants) => isUnique(merchants.map(({ merchantId }) => merchantId)), "has a merchantId twice");

function isUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** The simulator's settings at its start. */
export type SimulatorConfig = BankConfig & {
  merchants: readonly Merchant[];
  webhookDelayMs: number;
  webhookRetryMs: number;
  modes: Modes;
};

/** The defaults of everything but the ledger's place, for tests that start the simulator in their own process. */
export const defaultConfig: Omit<SimulatorConfig, "ledgerFile"> = {
  ...bankDefaults,
  // Just longer than a gateway's call to its acquirer may take, so that it has given up by then.
  latenessMs: 17_000,
  // The keys of the protocol document's vectors.
  merchants: [{ apiKey: "sandbox-apikey", secretKey: "sandbox-secret", merchantId: "1000001" }],
  // iyzico sends the first after 10 to 15 s and repeats it after 10 to 15 min.
  webhookDelayMs: 10_000,
  webhookRetryMs: 600_000,
  modes: defaultModes,
};

export const settings = bankSettings(
  "IYZICO_SIMULATOR",
  {
    latenessMs: defaultConfig.latenessMs,
    lateness: "How long after a call's arrival a late answer or a late effect comes.",
  },
  {
    MERCHANTS: jsonSetting(merchantsSchema)
      .default([...defaultConfig.merchants])
      .describe("The merchants, a JSON list of `{apiKey, secretKey, merchantId, webhookUrl?}`, 100 at most."),
    WEBHOOK_DELAY: duration
      .default(defaultConfig.webhookDelayMs)
      .describe("How long after its event a webhook is first sent."),
    WEBHOOK_RETRY: duration
      .default(defaultConfig.webhookRetryMs)
      .describe("How long after a webhook that failed it is sent again, twice at most."),
    MODES: jsonSetting(modesSchema)
      .default(defaultModes)
      .describe("The modes at the start, JSON as in `PUT /modes`."),
  },
  (common, own): SimulatorConfig => ({
    ...common,
    merchants: own.MERCHANTS,
    webhookDelayMs: own.WEBHOOK_DELAY,
    webhookRetryMs: own.WEBHOOK_RETRY,
    modes: own.MODES,
  }),
);
export const { readConfig } = settings;
