import { openOrClose, startSimulatorServer, together, type Simulator } from "@holdfast/bank-simulator/core";

import { simulatorApi } from "./api/simulator-api.ts";
import { BankClock } from "./bank-clock.ts";
import { BusinessDay } from "./bank/business-day.ts";
import { openClosings } from "./bank/closings.ts";
import { rebuildBank } from "./bank/rebuild-bank.ts";
import { Teller } from "./bank/teller.ts";
import { defaultConfig, type SimulatorConfig } from "./config.ts";
import { FaultQueue } from "./faults/behaviours.ts";
import { rulesFor, type Merchant } from "./merchants.ts";
import { SettlementFolder } from "./settlement-folder.ts";
import { GateSessions } from "./three-ds/gate-sessions.ts";

/** The options without a default, and for tests the machine's time in epoch milliseconds. */
export type StartOptions = Pick<SimulatorConfig, "ledgerFile" | "merchants"> &
  Partial<SimulatorConfig> & { machineNow?: () => number };

/**
 * Starts a Nestpay bank for development and tests on its own ledger file. `README.md` has its protocol and its test cards.
 * @throws LedgerCorruptError when the file is not a ledger
 */
export async function startNestpaySimulator(options: StartOptions): Promise<Simulator> {
  const config = { ...defaultConfig, ...options };
  const modes = { ...config.modes };
  const rulesOf = (merchant: Merchant) => rulesFor(merchant, modes);
  const merchants = new Map(config.merchants.map((merchant) => [merchant.clientId, merchant]));
  const settlements = new SettlementFolder({ ...config, rulesFor: rulesOf });
  const { closings, past } = await openClosings(config.ledgerFile);
  const { bank, ledger, lastDay, lastAtMs } = await openOrClose(closings, () =>
    rebuildBank(config.ledgerFile, past),
  );
  const clock = new BankClock(config.machineNow);
  clock.notBefore(lastAtMs);
  const now = () => clock.now();
  const businessDay = new BusinessDay({
    bank,
    ledger,
    closings,
    now,
    writeSettlements: (day) => settlements.write(day),
    closedAt: past.at(-1)?.at,
  });
  const both = together(ledger, closings);
  await openOrClose(both, async () => {
    if (lastDay) await settlements.write(lastDay);
  });
  const stopping = new AbortController();
  const dayIsOpen = () => businessDay.isOpen();
  const { reversalMs, publicUrl, hangMs, latenessMs } = config;
  const api = simulatorApi({
    bank,
    teller: new Teller({ bank, ledger, dayIsOpen, rulesFor: rulesOf, now, reversalMs }),
    ledger,
    businessDay,
    settlements,
    clock,
    modes,
    faults: new FaultQueue(),
    sessions: new GateSessions(),
    running: new Set(),
    merchantOf: (clientId) => merchants.get(clientId),
    rulesFor: rulesOf,
    publicUrl,
    hangMs,
    latenessMs,
    reversalMs,
    stopping: stopping.signal,
  });
  return await startSimulatorServer(both, api, { ...config, stopping });
}
