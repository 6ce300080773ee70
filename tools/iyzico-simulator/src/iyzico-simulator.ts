import { randomUUID } from "node:crypto";

import {
  Ledger,
  openOrClose,
  startSimulatorServer,
  together,
  type Simulator,
} from "@holdfast/bank-simulator/core";

import { Bank } from "./bank/bank.ts";
import type { DayClosed, EventLine } from "./bank/event-line.ts";
import type { LedgerLine } from "./bank/ledger-line.ts";
import { Teller } from "./bank/teller.ts";
import { ThreeDsDesk } from "./bank/three-ds-desk.ts";
import type { Office } from "./calls/call.ts";
import { defaultConfig, type SimulatorConfig } from "./config.ts";
import { BusinessDays } from "./control/business-days.ts";
import { createFaults } from "./control/faults.ts";
import { MinuteLimits } from "./control/minute-limits.ts";
import { Webhooks } from "./control/webhooks.ts";
import { simulatorApi } from "./simulator-api.ts";

export type IyzicoSimulator = Simulator;

/**
 * Starts iyzico for development and tests on its own ledger file. `README.md` has its protocol and its test cards.
 * @throws LedgerCorruptError when the file is not a ledger
 */
export async function startIyzicoSimulator(
  options: Pick<SimulatorConfig, "ledgerFile"> & Partial<Omit<SimulatorConfig, "ledgerFile">>,
): Promise<IyzicoSimulator> {
  const config: SimulatorConfig = { ...defaultConfig, ...options };
  const { now } = config;
  // Their own, since `PUT /webhooks` changes them.
  const merchants = config.merchants.map((merchant) => ({ ...merchant }));
  const bank = new Bank();
  const closings: (DayClosed & { at: string })[] = [];
  // The events come first: the ledger's lines go on from the 3-D Secure payments that they began.
  const events = await Ledger.open<EventLine>(`${config.ledgerFile}.events.ndjson`, (event) => {
    if (event.kind === "three_ds_started") bank.start(event);
    else if (event.kind === "three_ds_returned") bank.return(event);
    else closings.push(event);
  });
  const ledger = await openOrClose(events, () =>
    Ledger.open<LedgerLine>(config.ledgerFile, (line) => bank.apply(line)),
  );
  const both = together(ledger, events);
  const folder = `${config.ledgerFile}.settlement`;
  const businessDays = await openOrClose(both, () =>
    BusinessDays.open({ bank, ledger, events, merchants, folder, now }, closings),
  );

  const stopping = new AbortController();
  const modes = { ...config.modes };
  const teller = new Teller(bank, ledger, modes, now);
  const threeDs = new ThreeDsDesk(bank, events, teller, modes, now);
  const webhooks = new Webhooks({
    delayMs: config.webhookDelayMs,
    retryMs: config.webhookRetryMs,
    latenessMs: config.latenessMs,
    modes,
    stopping: stopping.signal,
  });
  const notify: Office["notify"] = (merchant, event) =>
    webhooks.send(merchant, { ...event, iyziReferenceCode: randomUUID(), iyziEventTime: now() });
  const api = simulatorApi({
    office: { bank, teller, threeDs, modes, now, notify },
    acs: { bank, threeDs, modes, merchants, notify },
    merchants,
    ledger,
    businessDays,
    modes,
    faults: createFaults(),
    limits: new MinuteLimits(),
    publicUrl: config.publicUrl,
    hangMs: config.hangMs,
    latenessMs: config.latenessMs,
    stopping: stopping.signal,
  });
  return await startSimulatorServer(both, api, { ...config, stopping });
}
