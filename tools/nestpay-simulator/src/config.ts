import { connectionsMax, duration, port, readEnvironment } from "@holdfast/bank-simulator/core";
import { z } from "zod";

import { merchantsSchema, type Merchant } from "./merchants.ts";
import { defaultModes, modesBody, type Modes } from "./modes.ts";

/** The simulator's settings at its start. */
export type SimulatorConfig = {
  host: string;
  /** 0 takes a free port. */
  port: number;
  ledgerFile: string;
  connectionsMax: number;
  hangMs: number;
  latenessMs: number;
  /** The time that the bank takes to reverse a call that its host did not answer. */
  reversalMs: number;
  /** The address at which browsers reach the issuer's pages, without a slash at the end; undefined: that of the API. */
  publicUrl: string | undefined;
  merchants: Merchant[];
  modes: Modes;
};

/** The defaults of everything but the ledger's place and the merchants. */
export const defaultConfig: Omit<SimulatorConfig, "ledgerFile" | "merchants"> = {
  host: "127.0.0.1",
  port: 0,
  // More than every pool of a local installation together; beyond it a leak is likelier than a need.
  connectionsMax: 10_000,
  hangMs: 120_000,
  // Just longer than a gateway's call to its acquirer may take, so that it has given up by then.
  latenessMs: 17_000,
  reversalMs: 5_000,
  publicUrl: undefined,
  modes: defaultModes,
};

/**
 * Reads the configuration from environment variables; durations carry their unit (`120s`).
 * @throws ConfigError
 */
export function readConfig(environment: Record<string, string | undefined>): SimulatorConfig {
  const settings = readEnvironment(environmentSchema, environment);
  return {
    host: settings.NESTPAY_SIMULATOR_HOST,
    port: settings.NESTPAY_SIMULATOR_PORT,
    ledgerFile: settings.NESTPAY_SIMULATOR_LEDGER_FILE,
    connectionsMax: settings.NESTPAY_SIMULATOR_CONNECTIONS_MAX,
    hangMs: settings.NESTPAY_SIMULATOR_HANG,
    latenessMs: settings.NESTPAY_SIMULATOR_LATENESS,
    reversalMs: settings.NESTPAY_SIMULATOR_REVERSAL,
    publicUrl: settings.NESTPAY_SIMULATOR_PUBLIC_URL?.replace(/\/$/, ""),
    merchants: settings.NESTPAY_SIMULATOR_MERCHANTS,
    modes: { ...defaultModes, ...withoutUndefined(settings.NESTPAY_SIMULATOR_MODES) },
  };
}

/** JSON in a variable. The parser's own message would quote the text, which has passwords. */
function json<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .max(65_536)
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue("must be JSON");
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** The modes that a body of `PUT /modes` names. */
export function withoutUndefined(modes: z.output<typeof modesBody>): Partial<Modes> {
  return Object.fromEntries(Object.entries(modes).filter(([, value]) => value !== undefined));
}

/** The environment variables. */
export const environmentSchema = z.object({
  NESTPAY_SIMULATOR_HOST: z
    .string()
    .min(1)
    .default(defaultConfig.host)
    .describe("The address that the simulator binds to."),
  NESTPAY_SIMULATOR_PORT: port
    .default(defaultConfig.port)
    .describe("The simulator's port; 0 takes a free one."),
  NESTPAY_SIMULATOR_LEDGER_FILE: z
    .string()
    .min(1)
    .describe(
      "The append-only ledger, created with its folder when it is missing. One process at a time may use it.",
    ),
  NESTPAY_SIMULATOR_CONNECTIONS_MAX: connectionsMax
    .default(defaultConfig.connectionsMax)
    .describe("Open connections; one more is closed as soon as it is opened."),
  NESTPAY_SIMULATOR_HANG: duration
    .default(defaultConfig.hangMs)
    .describe("How long a call that is never answered stays open before its connection is destroyed."),
  NESTPAY_SIMULATOR_LATENESS: duration
    .default(defaultConfig.latenessMs)
    .describe("How long after its arrival a late answer or a late effect comes."),
  NESTPAY_SIMULATOR_REVERSAL: duration
    .default(defaultConfig.reversalMs)
    .describe("How long the bank takes to reverse what its host did not answer (`TRANS_STAT` R)."),
  NESTPAY_SIMULATOR_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "must be a URL with http:// or https://" })
    .optional()
    .describe("Where browsers reach the issuer's pages. Without it, the address that callers use."),
  NESTPAY_SIMULATOR_MERCHANTS: json(merchantsSchema).describe(
    "The merchants as JSON: a list of `{clientId, name, password, storeKey, options?}`.",
  ),
  NESTPAY_SIMULATOR_MODES: json(modesBody)
    .default({})
    .describe("What differs from the default modes, as JSON. `PUT /modes` changes them later."),
});
