import { startBank, type EndedDay, type Protocol } from "../../core/index.ts";
import { faultTable } from "./behaviour.ts";
import { openCounter, SETTLEMENT_TYPE, type SimOffice } from "./calls.ts";
import { defaultConfig, settings, type SimulatorConfig } from "./config.ts";
import { postingOf, type Entry } from "./ledger-line.ts";
import { modesSchema } from "./modes.ts";
import { dayCsv } from "./settlement-csv.ts";

export type { SimulatorConfig } from "./config.ts";
export type { LedgerLine } from "./ledger-line.ts";
export type { Habits, Modes } from "./modes.ts";

/** A bank of no protocol in particular, whose every call is repeated safely. `README.md` has its protocol. */
export const protocol: Protocol<SimulatorConfig> = {
  ...settings,
  start: (options) => {
    const config = { ...defaultConfig, ...options };
    const { bindsUnseen, repetition, challenge, returns } = config;
    return startBank(config, {
      zone: "UTC",
      postingOf,
      faults: faultTable,
      modes: { bindsUnseen, repetition, challenge, returns },
      modesSchema,
      settlement: { contentType: SETTLEMENT_TYPE, filesOf },
      open: (office: SimOffice) => openCounter(office, config),
    });
  },
};

function filesOf({ day, endedAtMs, movements }: EndedDay<Entry>) {
  const date = new Date(endedAtMs).toISOString().slice(0, 10);
  const lines = movements.map(({ line }) => line);
  return [{ name: `settlement-${date}-${day}.csv`, content: () => dayCsv(lines) }];
}
