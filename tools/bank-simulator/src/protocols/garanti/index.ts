import {
  gateCounter,
  Sessions,
  startBank,
  STATEMENT_TYPE,
  statementFile,
  ZONE,
  type Counter,
  type Protocol,
} from "../../core/index.ts";
import { faultTable } from "./behaviours.ts";
import { defaultConfig, modesSchema, settings, type Merchant, type SimulatorConfig } from "./config.ts";
import type { Desk, GarantiOffice } from "./desk.ts";
import { acsOf, handleGate } from "./gate.ts";
import { refundInPanel } from "./judge.ts";
import { postingOf, type Entry } from "./ledger-line.ts";
import { handleServlet } from "./servlet.ts";

export { merchantsSchema, type Merchant, type Modes, type SimulatorConfig } from "./config.ts";
export type { LedgerLine } from "./ledger-line.ts";

/** A bank with the GVP protocol of Garanti BBVA. `README.md` has its protocol and its oddities. */
export const protocol: Protocol<SimulatorConfig> = {
  ...settings,
  faults: faultTable,
  start: (options) => {
    const config = { ...defaultConfig, ...options };
    const lines = new Map<string, Entry[]>();
    return startBank(config, {
      zone: ZONE,
      postingOf,
      onLine: (line) => keepIn(lines, line),
      faults: faultTable,
      modes: config.modes,
      modesSchema,
      settlement: {
        contentType: STATEMENT_TYPE,
        filesOf: (day, modes, clock) =>
          config.merchants.map(({ terminalId, options: terms }) => {
            const payee = { ...terms, id: terminalId, terminalId };
            return statementFile(day, payee, { payout: terms.installmentPayout, modes, clock });
          }),
      },
      open: (office: GarantiOffice) => openCounter(office, config.merchants, lines),
    });
  },
};

function keepIn(lines: Map<string, Entry[]>, line: Entry): void {
  if (!line.listed) return;
  const key = `${line.terminalId}/${line.orderId}`;
  const known = lines.get(key);
  if (known) known.push(line);
  else lines.set(key, [line]);
}

function openCounter(
  office: GarantiOffice,
  merchants: readonly Merchant[],
  lines: ReadonlyMap<string, Entry[]>,
): Counter<Entry> {
  const byTerminal = new Map(merchants.map((merchant) => [merchant.terminalId, merchant]));
  const desk: Desk = {
    ...office,
    sessions: new Sessions(),
    merchantOf: (terminalId) => byTerminal.get(terminalId),
    linesOf: (terminalId, orderId) => lines.get(`${terminalId}/${orderId}`) ?? [],
  };
  const calls = { "POST /VPServlet": handleServlet, "POST /servlet/gt3dengine": handleGate };
  return gateCounter(desk, calls, acsOf, refundInPanel);
}
