import { bankDefaults, bankSettings, duration, jsonSetting, type BankConfig } from "../../core/index.ts";
import { merchantsSchema, type Merchant } from "./merchants.ts";
import { defaultModes, modesSchema, type Modes } from "./modes.ts";

/** The simulator's settings at its start. */
export type SimulatorConfig = BankConfig & {
  /** The time that the bank takes to reverse a call that its host did not answer. */
  reversalMs: number;
  merchants: Merchant[];
  modes: Modes;
};

/** The defaults of everything but the ledger's place, for tests that start the simulator in their own process. */
export const defaultConfig: Omit<SimulatorConfig, "ledgerFile"> = {
  ...bankDefaults,
  // Just longer than a gateway's call to its acquirer may take, so that it has given up by then.
  latenessMs: 17_000,
  reversalMs: 5_000,
  merchants: [],
  modes: defaultModes,
};

export const settings = bankSettings(
  "NESTPAY_SIMULATOR",
  {
    latenessMs: defaultConfig.latenessMs,
    lateness: "How long after its arrival a late answer or a late effect comes.",
  },
  {
    REVERSAL: duration
      .default(defaultConfig.reversalMs)
      .describe("How long the bank takes to reverse what its host did not answer (`TRANS_STAT` R)."),
    MERCHANTS: jsonSetting(merchantsSchema).describe(
      "The merchants as JSON: a list of `{clientId, name, password, storeKey, options?}`.",
    ),
    MODES: jsonSetting(modesSchema.partial())
      .default({})
      .describe("What differs from the default modes, as JSON. `PUT /modes` changes them later."),
  },
  (common, own): SimulatorConfig => ({
    ...common,
    reversalMs: own.REVERSAL,
    merchants: own.MERCHANTS,
    modes: modesSchema.parse({ ...defaultModes, ...own.MODES }),
  }),
);
export const { readConfig } = settings;
