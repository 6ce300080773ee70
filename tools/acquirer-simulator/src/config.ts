import { z } from "zod";

import { type Modes, repetitionNames } from "./modes.ts";

/** What the simulator needs to know when it starts. */
export type SimulatorConfig = {
  host: string;
  /** 0 takes a free port. */
  port: number;
  ledgerFile: string;
  connectionsMax: number;
  hangMs: number;
  latenessMs: number;
  /** From the arrival of a request without an expiry to the time after which it is late. */
  lateAfterMs: number;
  /** Where browsers reach the issuer's pages, without a slash at the end; undefined: where callers reach the API. */
  publicUrl: string | undefined;
} & Modes;

/** Says in one message everything that is wrong with the environment. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "invalid_config";
}

/** The defaults of everything but the ledger's place, for tests that start the simulator in their own process. */
export const defaultConfig: Omit<SimulatorConfig, "ledgerFile"> = {
  host: "127.0.0.1",
  port: 0,
  // More than every pool of a local installation together; beyond it a leak is likelier than a need.
  connectionsMax: 10_000,
  hangMs: 120_000,
  latenessMs: 1_000,
  // Just beyond what a gateway's call to its acquirer may take, so that it has given up by then.
  lateAfterMs: 16_000,
  publicUrl: undefined,
  bindsUnseen: true,
  repetition: "replay",
};

/**
 * Reads the configuration from environment variables; durations carry their unit (`120s`).
 * @throws ConfigError
 */
export function readConfig(environment: Record<string, string | undefined>): SimulatorConfig {
  const parsed = environmentSchema.safeParse(environment);
  if (!parsed.success) throw new ConfigError(z.prettifyError(parsed.error));
  return {
    host: parsed.data.SIMULATOR_HOST,
    port: parsed.data.SIMULATOR_PORT,
    ledgerFile: parsed.data.SIMULATOR_LEDGER_FILE,
    connectionsMax: parsed.data.SIMULATOR_CONNECTIONS_MAX,
    hangMs: parsed.data.SIMULATOR_HANG,
    latenessMs: parsed.data.SIMULATOR_LATENESS,
    lateAfterMs: parsed.data.SIMULATOR_LATE_AFTER,
    publicUrl: parsed.data.SIMULATOR_PUBLIC_URL?.replace(/\/$/, ""),
    bindsUnseen: parsed.data.SIMULATOR_BINDS_UNSEEN,
    repetition: parsed.data.SIMULATOR_REPETITION,
  };
}

const millisecondsPerUnit: Record<string, number> = { ms: 1, s: 1_000, m: 60_000 };

const duration = z
  .string()
  .regex(/^\d{1,6}(ms|s|m)$/, "must be a duration such as 500ms, 120s or 2m")
  .transform(
    (text) => Number.parseInt(text, 10) * (millisecondsPerUnit[text.replace(/^\d+/, "")] ?? Number.NaN),
  )
  .pipe(z.int().max(3_600_000, "must be one hour at most"));

const port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port number")
  .transform(Number)
  .pipe(z.int().max(65_535, "must be a port number"));

const connectionsMax = z
  .string()
  .regex(/^\d{1,6}$/, "must be a number of connections")
  .transform(Number)
  .pipe(z.int().min(1));

/** The environment variables; docs/settings.md is generated from them. */
export const environmentSchema = z.object({
  SIMULATOR_HOST: z
    .string()
    .min(1)
    .default(defaultConfig.host)
    .describe("The address that the simulator binds to."),
  SIMULATOR_PORT: port.default(defaultConfig.port).describe("The simulator's port; 0 takes a free one."),
  SIMULATOR_LEDGER_FILE: z
    .string()
    .min(1)
    .describe(
      "The append-only ledger, created with its folder when it is missing. One process at a time may use it.",
    ),
  SIMULATOR_CONNECTIONS_MAX: connectionsMax
    .default(defaultConfig.connectionsMax)
    .describe("Open connections; one more is closed as soon as it is opened."),
  SIMULATOR_HANG: duration
    .default(defaultConfig.hangMs)
    .describe("How long a call that is never answered stays open before its connection is destroyed."),
  SIMULATOR_LATENESS: duration
    .default(defaultConfig.latenessMs)
    .describe("How long after a request's `expiresAt` a late answer or a late effect comes."),
  SIMULATOR_LATE_AFTER: duration
    .default(defaultConfig.lateAfterMs)
    .describe(
      "How long after its arrival a request without an `expiresAt` is late; `SIMULATOR_LATENESS` comes on top.",
    ),
  SIMULATOR_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "must be a URL with http:// or https://" })
    .optional()
    .describe("Where browsers reach the issuer's pages. Without it, the address that callers use."),
  SIMULATOR_BINDS_UNSEEN: z
    .enum(["true", "false"], { error: "must be true or false" })
    .transform((text) => text === "true")
    .default(defaultConfig.bindsUnseen)
    .describe("Whether a reversal binds a reference that the bank has not seen. `PUT /modes` changes it."),
  SIMULATOR_REPETITION: z
    .enum(repetitionNames, { error: "must be replay or none" })
    .default(defaultConfig.repetition)
    .describe(
      "Whether a repeat is answered with the first outcome (`replay`) or refused as a duplicate (`none`). `PUT /modes` changes it.",
    ),
});
