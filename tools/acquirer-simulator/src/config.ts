import { connectionsMax, duration, port, readEnvironment } from "@holdfast/simulator-kit";
import { z } from "zod";

import { challengeNames, type Modes, repetitionNames, returnNames } from "./modes.ts";

/** The simulator's settings at its start. */
export type SimulatorConfig = {
  host: string;
  /** 0 takes a free port. */
  port: number;
  ledgerFile: string;
  connectionsMax: number;
  hangMs: number;
  latenessMs: number;
  /** The time from the arrival of a request without an expiry until it is late. */
  lateAfterMs: number;
  /** The address at which browsers reach the issuer's pages, without a slash at the end; undefined: that of the API. */
  publicUrl: string | undefined;
} & Modes;

/** The defaults of everything but the ledger's place, for tests that start the simulator in their own process. */
export const defaultConfig: Omit<SimulatorConfig, "ledgerFile"> = {
  host: "127.0.0.1",
  port: 0,
  // More than every pool of a local installation together; beyond it a leak is likelier than a need.
  connectionsMax: 10_000,
  hangMs: 120_000,
  latenessMs: 1_000,
  // Just longer than a gateway's call to its acquirer may take, so that it has given up by then.
  lateAfterMs: 16_000,
  publicUrl: undefined,
  bindsUnseen: true,
  repetition: "replay",
  challenge: "form",
  returns: "bare",
};

/**
 * Reads the configuration from environment variables; durations carry their unit (`120s`).
 * @throws ConfigError
 */
export function readConfig(environment: Record<string, string | undefined>): SimulatorConfig {
  const settings = readEnvironment(environmentSchema, environment);
  return {
    host: settings.SIMULATOR_HOST,
    port: settings.SIMULATOR_PORT,
    ledgerFile: settings.SIMULATOR_LEDGER_FILE,
    connectionsMax: settings.SIMULATOR_CONNECTIONS_MAX,
    hangMs: settings.SIMULATOR_HANG,
    latenessMs: settings.SIMULATOR_LATENESS,
    lateAfterMs: settings.SIMULATOR_LATE_AFTER,
    publicUrl: settings.SIMULATOR_PUBLIC_URL?.replace(/\/$/, ""),
    bindsUnseen: settings.SIMULATOR_BINDS_UNSEEN,
    repetition: settings.SIMULATOR_REPETITION,
    challenge: settings.SIMULATOR_CHALLENGE,
    returns: settings.SIMULATOR_RETURNS,
  };
}

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
  SIMULATOR_CHALLENGE: z
    .enum(challengeNames, { error: "must be form or page" })
    .default(defaultConfig.challenge)
    .describe(
      "What a 3-D Secure challenge is: an address with the fields of a form (`form`), or a page of the bank's own (`page`). `PUT /modes` changes it.",
    ),
  SIMULATOR_RETURNS: z
    .enum(returnNames, { error: "must be bare or proven" })
    .default(defaultConfig.returns)
    .describe(
      "What a browser brings back from a challenge: the session (`bare`), or with it a proof that the completion has to bring (`proven`). `PUT /modes` changes it.",
    ),
  SIMULATOR_REPETITION: z
    .enum(repetitionNames, { error: "must be replay, refuses_second_success or none" })
    .default(defaultConfig.repetition)
    .describe(
      "What becomes of a repeat: answered with the first outcome (`replay`), refused after an approval (`refuses_second_success`), or carried out again (`none`). `PUT /modes` changes it.",
    ),
});
