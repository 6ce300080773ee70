import { connectionsMax, duration, port, readEnvironment } from "@holdfast/bank-simulator/core";
import { z } from "zod";

import { defaultMerchants, merchantsSetting, type Merchant } from "./control/merchants.ts";
import { defaultModes, modesSchema, type Modes } from "./control/modes.ts";

/** The simulator's settings at its start. */
export type SimulatorConfig = {
  host: string;
  /** 0 takes a free port. */
  port: number;
  ledgerFile: string;
  connectionsMax: number;
  hangMs: number;
  latenessMs: number;
  /** The address at which browsers reach the issuer's pages, without a slash at the end; undefined: that of the API. */
  publicUrl: string | undefined;
  merchants: readonly Merchant[];
  webhookDelayMs: number;
  webhookRetryMs: number;
  modes: Modes;
  /** The bank's clock, in epoch milliseconds. */
  now: () => number;
};

/** The defaults of everything but the ledger's place, for tests that start the simulator in their own process. */
export const defaultConfig: Omit<SimulatorConfig, "ledgerFile"> = {
  host: "127.0.0.1",
  port: 0,
  connectionsMax: 10_000,
  hangMs: 120_000,
  // Just longer than a gateway's call to its acquirer may take, so that it has given up by then.
  latenessMs: 17_000,
  publicUrl: undefined,
  merchants: defaultMerchants,
  // iyzico sends the first after 10 to 15 s and repeats it after 10 to 15 min.
  webhookDelayMs: 10_000,
  webhookRetryMs: 600_000,
  modes: defaultModes,
  now: Date.now,
};

/**
 * Reads the configuration from environment variables; durations carry their unit (`120s`).
 * @throws ConfigError
 */
export function readConfig(environment: Record<string, string | undefined>): SimulatorConfig {
  const settings = readEnvironment(environmentSchema, environment);
  return {
    ...defaultConfig,
    host: settings.IYZICO_SIMULATOR_HOST,
    port: settings.IYZICO_SIMULATOR_PORT,
    ledgerFile: settings.IYZICO_SIMULATOR_LEDGER_FILE,
    connectionsMax: settings.IYZICO_SIMULATOR_CONNECTIONS_MAX,
    hangMs: settings.IYZICO_SIMULATOR_HANG,
    latenessMs: settings.IYZICO_SIMULATOR_LATENESS,
    publicUrl: settings.IYZICO_SIMULATOR_PUBLIC_URL?.replace(/\/$/, ""),
    merchants: settings.IYZICO_SIMULATOR_MERCHANTS,
    webhookDelayMs: settings.IYZICO_SIMULATOR_WEBHOOK_DELAY,
    webhookRetryMs: settings.IYZICO_SIMULATOR_WEBHOOK_RETRY,
    modes: settings.IYZICO_SIMULATOR_MODES,
  };
}

/** The environment variables. */
export const environmentSchema = z.object({
  IYZICO_SIMULATOR_HOST: z
    .string()
    .min(1)
    .default(defaultConfig.host)
    .describe("The address that the simulator binds to."),
  IYZICO_SIMULATOR_PORT: port
    .default(defaultConfig.port)
    .describe("The simulator's port; 0 takes a free one."),
  IYZICO_SIMULATOR_LEDGER_FILE: z
    .string()
    .min(1)
    .describe(
      "The append-only ledger, created with its folder when it is missing. One process at a time may use it.",
    ),
  IYZICO_SIMULATOR_CONNECTIONS_MAX: connectionsMax
    .default(defaultConfig.connectionsMax)
    .describe("Open connections; one more is closed as soon as it is opened."),
  IYZICO_SIMULATOR_HANG: duration
    .default(defaultConfig.hangMs)
    .describe("How long a call that is never answered stays open before its connection is destroyed."),
  IYZICO_SIMULATOR_LATENESS: duration
    .default(defaultConfig.latenessMs)
    .describe("How long after a call's arrival a late answer or a late effect comes."),
  IYZICO_SIMULATOR_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "must be a URL with http:// or https://" })
    .optional()
    .describe("Where browsers reach the issuer's pages. Without it, the address that callers use."),
  IYZICO_SIMULATOR_MERCHANTS: merchantsSetting
    .default(defaultMerchants)
    .describe("The merchants, a JSON list of `{apiKey, secretKey, merchantId, webhookUrl?}`, 100 at most."),
  IYZICO_SIMULATOR_WEBHOOK_DELAY: duration
    .default(defaultConfig.webhookDelayMs)
    .describe("How long after its event a webhook is first sent."),
  IYZICO_SIMULATOR_WEBHOOK_RETRY: duration
    .default(defaultConfig.webhookRetryMs)
    .describe("How long after a webhook that failed it is sent again, twice at most."),
  IYZICO_SIMULATOR_MODES: z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "must be JSON" });
        return z.NEVER;
      }
    })
    .pipe(modesSchema)
    .default(defaultModes)
    .describe("The modes at the start, JSON as in `PUT /modes`."),
});
