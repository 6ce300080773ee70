import { z } from "zod";

import { bankDefaults, bankSettings, duration, type BankConfig } from "../../core/index.ts";
import { challengeNames, defaultModes, type Modes, repetitionNames, returnNames } from "./modes.ts";

/** The simulator's settings at its start. */
export type SimulatorConfig = BankConfig & {
  /** The time from the arrival of a request without an expiry until it is late. */
  lateAfterMs: number;
} & Modes;

/** The defaults of everything but the ledger's place, for tests that start the simulator in their own process. */
export const defaultConfig: Omit<SimulatorConfig, "ledgerFile"> = {
  ...bankDefaults,
  latenessMs: 1_000,
  // Just longer than a gateway's call to its acquirer may take, so that it has given up by then.
  lateAfterMs: 16_000,
  ...defaultModes,
};

export const settings = bankSettings(
  "SIMULATOR",
  {
    latenessMs: defaultConfig.latenessMs,
    lateness: "How long after a request's `expiresAt` a late answer or a late effect comes.",
  },
  {
    LATE_AFTER: duration
      .default(defaultConfig.lateAfterMs)
      .describe(
        "How long after its arrival a request without an `expiresAt` is late; `SIMULATOR_LATENESS` comes on top.",
      ),
    BINDS_UNSEEN: z
      .enum(["true", "false"], { error: "must be true or false" })
      .transform((text) => text === "true")
      .default(defaultConfig.bindsUnseen)
      .describe("Whether a reversal binds a reference that the bank has not seen. `PUT /modes` changes it."),
    CHALLENGE: z
      .enum(challengeNames, { error: "must be form or page" })
      .default(defaultConfig.challenge)
      .describe(
        "What a 3-D Secure challenge is: an address with the fields of a form (`form`), or a page of the bank's own (`page`). `PUT /modes` changes it.",
      ),
    RETURNS: z
      .enum(returnNames, { error: "must be bare or proven" })
      .default(defaultConfig.returns)
      .describe(
        "What a browser brings back from a challenge: the session (`bare`), or with it a proof that the completion has to bring (`proven`). `PUT /modes` changes it.",
      ),
    REPETITION: z
      .enum(repetitionNames, { error: "must be replay, refuses_second_success or none" })
      .default(defaultConfig.repetition)
      .describe(
        "What becomes of a repeat: answered with the first outcome (`replay`), refused after an approval (`refuses_second_success`), or carried out again (`none`). `PUT /modes` changes it.",
      ),
  },
  (common, own): SimulatorConfig => ({
    ...common,
    lateAfterMs: own.LATE_AFTER,
    bindsUnseen: own.BINDS_UNSEEN,
    repetition: own.REPETITION,
    challenge: own.CHALLENGE,
    returns: own.RETURNS,
  }),
);
export const { readConfig } = settings;
