import { randomBytes } from "node:crypto";

import {
  gateCounter,
  Sessions,
  startBank,
  STATEMENT_TYPE,
  statementFile,
  ZONE,
  type Protocol,
} from "../../core/index.ts";
import { faultTable } from "./behaviours.ts";
import { defaultConfig, modesSchema, settings, type SimulatorConfig } from "./config.ts";
import type { Desk, PosnetOffice } from "./desk.ts";
import { acsOf, handleGate } from "./gate.ts";
import { refundInPanel } from "./judge.ts";
import { orderName, postingOf, type Entry } from "./ledger-line.ts";
import { handleXml } from "./service.ts";

export { merchantsSchema, type Merchant, type Modes, type SimulatorConfig } from "./config.ts";
export type { LedgerLine } from "./ledger-line.ts";

/** A bank with the PosNet protocol of Yapı Kredi. `README.md` has its protocol and its oddities. */
export const protocol: Protocol<SimulatorConfig> = {
  ...settings,
  faults: faultTable,
  start: (options) => {
    const config = { ...defaultConfig, ...options };
    const lines = new Map<string, Entry[]>();
    return startBank(config, {
      zone: ZONE,
      postingOf,
      onLine: (line) => {
        const key = `${line.tid}/${orderName(line)}`;
        const known = lines.get(key);
        if (known) known.push(line);
        else lines.set(key, [line]);
      },
      faults: faultTable,
      modes: config.modes,
      modesSchema,
      settlement: {
        contentType: STATEMENT_TYPE,
        filesOf: (day, modes, clock) =>
          config.merchants.map(({ tid, options: terms }) => {
            const payee = { ...terms, id: tid, terminalId: tid };
            return statementFile(day, payee, { payout: terms.installmentPayout, modes, clock });
          }),
      },
      open: (office: PosnetOffice) => {
        const desk: Desk = {
          ...office,
          sessions: new Sessions(),
          merchants: config.merchants,
          ownKey: randomBytes(24).toString("hex"),
          linesOf: (tid, order) => lines.get(`${tid}/${order}`) ?? [],
        };
        return gateCounter(desk, { [XML]: handleXml, [GATE]: handleGate }, acsOf, refundInPanel);
      },
    });
  },
};

const XML = "POST /PosnetWebService/XML";
const GATE = "POST /3DSWebService/YKBPaymentService";
