import { startBank, type Protocol } from "../../core/index.ts";
import { faultTable, traits } from "./behaviour.ts";
import type { IyzicoOffice } from "./calls/call.ts";
import { defaultConfig, settings, type SimulatorConfig } from "./config.ts";
import { openCounter } from "./counter.ts";
import { postingOf } from "./ledger-line.ts";
import { modesSchema } from "./modes.ts";
import { Payments } from "./payments.ts";
import { filesOf, type EndedDays } from "./settlement.ts";

export type { Merchant, SimulatorConfig } from "./config.ts";
export type { LedgerLine } from "./ledger-line.ts";
export type { Modes } from "./modes.ts";

/** iyzico, from its protocol document alone. `README.md` has its protocol and its test cards. */
export const protocol: Protocol<SimulatorConfig> = {
  ...settings,
  faults: faultTable,
  traits,
  start: (options) => {
    const config = { ...defaultConfig, ...options };
    const payments = new Payments();
    const days: EndedDays = [];
    const merchantIds = config.merchants.map(({ merchantId }) => merchantId);
    return startBank(config, {
      zone: ZONE,
      postingOf,
      onLine: (line) => payments.takeLine(line),
      onEvent: (event) => payments.takeEvent(event),
      faults: faultTable,
      modes: config.modes,
      modesSchema,
      settlement: {
        contentType: "text/csv; charset=utf-8",
        filesOf: (day, modes, clock) => {
          // The report of payouts has the ended days, too.
          days.push(day);
          return filesOf({ payments, merchantIds, modes, clock }, day);
        },
      },
      open: (office: IyzicoOffice) => openCounter(office, { payments, days }, config),
    });
  },
};

const ZONE = "Europe/Istanbul";
