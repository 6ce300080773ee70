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
import { faultTable, traits } from "./behaviours.ts";
import { defaultConfig, settings, type SimulatorConfig } from "./config.ts";
import type { Desk, NestpayOffice } from "./desk.ts";
import { handleFim } from "./fim.ts";
import { acsOf, handleGate } from "./gate.ts";
import { refundInPanel, voidInPanel } from "./judge.ts";
import { postingOf, type Entry } from "./ledger-line.ts";
import { rulesFor } from "./merchants.ts";
import { modesSchema } from "./modes.ts";

export type { SimulatorConfig } from "./config.ts";
export type { LedgerLine } from "./ledger-line.ts";
export { merchantsSchema, type Merchant } from "./merchants.ts";
export type { Modes } from "./modes.ts";

/** A bank with the Nestpay protocol (EST, "CC5"). `README.md` has its protocol and its test cards. */
export const protocol: Protocol<SimulatorConfig> = {
  ...settings,
  faults: faultTable,
  traits,
  start: (options) => {
    const config = { ...defaultConfig, ...options };
    const merchants = config.merchants.toSorted((one, other) => (one.clientId < other.clientId ? -1 : 1));
    const usedXids = new Set<string>();
    return startBank(config, {
      zone: ZONE,
      postingOf,
      onLine: ({ clientId, authentication }) => {
        if (authentication) usedXids.add(`${clientId}/${authentication.xid}`);
      },
      faults: faultTable,
      modes: config.modes,
      modesSchema,
      settlement: {
        contentType: STATEMENT_TYPE,
        filesOf: (day, modes, clock) =>
          merchants.map((merchant) =>
            statementFile(
              day,
              { id: merchant.clientId, ...merchant.options },
              {
                payout: rulesFor(merchant, modes).installmentPayout,
                modes,
                clock,
              },
            ),
          ),
      },
      open: (office: NestpayOffice) => openCounter(office, config, usedXids),
    });
  },
};

function openCounter(
  office: NestpayOffice,
  config: SimulatorConfig,
  usedXids: ReadonlySet<string>,
): Counter<Entry> {
  const merchants = new Map(config.merchants.map((merchant) => [merchant.clientId, merchant]));
  const desk: Desk = {
    ...office,
    sessions: new Sessions(),
    running: new Set(),
    usedXids,
    merchantOf: (clientId) => merchants.get(clientId),
    rulesOf: (merchant) => rulesFor(merchant, office.modes),
    reversalMs: config.reversalMs,
  };
  const calls = { "POST /fim/api": handleFim, "POST /fim/est3Dgate": handleGate };
  return {
    ...gateCounter(desk, calls, acsOf, refundInPanel),
    voidInPanel: (order, name) => voidInPanel(desk, order, name),
  };
}
