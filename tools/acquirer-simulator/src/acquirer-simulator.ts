import { Ledger, openOrClose, startSimulatorServer, type Simulator } from "@holdfast/simulator-kit";

import { Bank } from "./bank.ts";
import { BusinessDay } from "./business-day.ts";
import { ChallengeSessions } from "./challenge-sessions.ts";
import { defaultConfig, type SimulatorConfig } from "./config.ts";
import { FaultQueue } from "./fault-queue.ts";
import { entryOf, type LedgerLine } from "./ledger-entry.ts";
import { Notifications } from "./notifications.ts";
import { PendingDesk } from "./pending-desk.ts";
import { simulatorApi } from "./simulator-api.ts";
import { Teller } from "./teller.ts";

export type AcquirerSimulator = Simulator;

/**
 * Starts a bank for development and tests on its own ledger file. `README.md` has its protocol and its test cards.
 * @throws LedgerCorruptError when the file is not a ledger
 */
export async function startAcquirerSimulator(
  options: Pick<SimulatorConfig, "ledgerFile"> & Partial<SimulatorConfig>,
): Promise<AcquirerSimulator> {
  const config = { ...defaultConfig, ...options };
  const bank = new Bank();
  const ledger = await Ledger.open<LedgerLine>(config.ledgerFile, (line) => bank.apply(entryOf(line)));
  const businessDay = await openOrClose(ledger, () => BusinessDay.open(config.ledgerFile, bank, ledger));
  const stopping = new AbortController();
  const { bindsUnseen, repetition, challenge, returns } = config;
  const modes = { bindsUnseen, repetition, challenge, returns };
  const api = simulatorApi({
    teller: new Teller(bank, ledger, modes),
    ledger,
    businessDay,
    modes,
    faults: new FaultQueue(),
    sessions: new ChallengeSessions(),
    pending: new PendingDesk(),
    notifications: new Notifications(stopping.signal),
    publicUrl: config.publicUrl,
    hangMs: config.hangMs,
    latenessMs: config.latenessMs,
    lateAfterMs: config.lateAfterMs,
    stopping: stopping.signal,
  });
  return await startSimulatorServer(ledger, api, { ...config, stopping });
}
