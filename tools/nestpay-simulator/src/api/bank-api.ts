import type { Ledger } from "@holdfast/bank-simulator/core";

import type { BankClock } from "../bank-clock.ts";
import type { Bank } from "../bank/bank.ts";
import type { BusinessDay } from "../bank/business-day.ts";
import type { LedgerLine } from "../bank/ledger-line.ts";
import type { Teller } from "../bank/teller.ts";
import type { FaultQueue } from "../faults/behaviours.ts";
import type { Merchant } from "../merchants.ts";
import type { Modes, Rules } from "../modes.ts";
import type { SettlementFolder } from "../settlement-folder.ts";
import type { GateSessions } from "../three-ds/gate-sessions.ts";

/** The parts of the bank's HTTP interface. */
export type BankApi = {
  bank: Bank;
  teller: Teller;
  ledger: Ledger<LedgerLine>;
  businessDay: BusinessDay;
  settlements: SettlementFolder;
  clock: BankClock;
  /** Changed by `PUT /modes`. */
  modes: Modes;
  faults: FaultQueue;
  sessions: GateSessions;
  /** Orders with a call under way, by client id and order id; open connections bound them. */
  running: Set<string>;
  merchantOf: (clientId: string) => Merchant | undefined;
  rulesFor: (merchant: Merchant) => Rules;
  /** The URL at which browsers reach it; undefined where it is the callers' address. */
  publicUrl: string | undefined;
  hangMs: number;
  latenessMs: number;
  reversalMs: number;
  /** Aborted when the simulator stops: late answers and late effects are dropped then. */
  stopping: AbortSignal;
};
