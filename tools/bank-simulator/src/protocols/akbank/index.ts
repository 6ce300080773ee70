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
import type { AkbankOffice, Desk } from "./desk.ts";
import { acsOf, handleGate } from "./gate.ts";
import { refundInPanel } from "./judge.ts";
import { postingOf, type Entry } from "./ledger-line.ts";
import { handleProcess } from "./process.ts";

export { merchantsSchema, type Merchant, type Modes, type SimulatorConfig } from "./config.ts";
export type { LedgerLine } from "./ledger-line.ts";

/** A bank with the JSON interface of Akbank. `README.md` has its protocol and its oddities. */
export const protocol: Protocol<SimulatorConfig> = {
  ...settings,
  faults: faultTable,
  start: (options) => {
    const config = { ...defaultConfig, ...options };
    const merchants = new Map(config.merchants.map((merchant) => [merchant.terminalSafeId, merchant]));
    const lines = new Map<string, Entry[]>();
    const keyOf = (terminalSafeId: string, orderId: string) => `${terminalSafeId}/${orderId}`;
    return startBank(config, {
      zone: ZONE,
      postingOf,
      onLine: (line) => {
        const key = keyOf(line.terminalSafeId, line.orderId);
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
          config.merchants.map(({ terminalSafeId, options: terms }) => {
            const payee = { ...terms, id: terminalSafeId, terminalId: terminalSafeId };
            return statementFile(day, payee, { payout: terms.installmentPayout, modes, clock });
          }),
      },
      open: (office: AkbankOffice) => {
        const desk: Desk = {
          ...office,
          sessions: new Sessions(),
          merchantOf: (terminalSafeId) => merchants.get(terminalSafeId),
          linesOf: (terminalSafeId, orderId) => lines.get(keyOf(terminalSafeId, orderId)) ?? [],
        };
        return gateCounter(desk, { [PROCESS]: handleProcess, [GATE]: handleGate }, acsOf, refundInPanel);
      },
    });
  },
};

const PROCESS = "POST /api/v1/payment/virtualpos/transaction/process";
const GATE = "POST /securepay";
