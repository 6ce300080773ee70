import { startBank, type Protocol } from "../../core/index.ts";
import { faultTable, traits } from "./behaviour.ts";
import { openCounter, SETTLEMENT_TYPE, type SimOffice } from "./calls.ts";
import { defaultConfig, settings, type SimulatorConfig } from "./config.ts";
import { postingOf } from "./ledger-line.ts";
import { modesSchema } from "./modes.ts";
import { dayFile } from "./settlement-csv.ts";

export type { SimulatorConfig } from "./config.ts";
export type { LedgerLine } from "./ledger-line.ts";
export type { Habits, Modes } from "./modes.ts";

/** A bank of no protocol in particular, whose every call is repeated safely. `README.md` has its protocol. */
export const protocol: Protocol<SimulatorConfig> = {
  ...settings,
  faults: faultTable,
  traits,
  start: (options) => {
    const config = { ...defaultConfig, ...options };
    const { bindsUnseen, repetition, challenge, returns } = config;
    return startBank(config, {
      zone: "UTC",
      postingOf,
      faults: faultTable,
      modes: { bindsUnseen, repetition, challenge, returns },
      modesSchema,
      settlement: {
        contentType: SETTLEMENT_TYPE,
        filesOf: (day, dayModes, clock) => [dayFile(day, dayModes, clock)],
      },
      open: (office: SimOffice) => openCounter(office, config),
    });
  },
};
