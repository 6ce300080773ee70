import type { Office } from "../../core/index.ts";
import type { faultTable } from "./behaviours.ts";
import type { GateSessions } from "./gate-sessions.ts";
import type { Entry } from "./ledger-line.ts";
import type { Merchant } from "./merchants.ts";
import type { Modes, Rules } from "./modes.ts";

export type NestpayOffice = Office<Entry, never, typeof faultTable, Modes>;

/** The parts that this protocol's calls use. */
export type Desk = NestpayOffice & {
  sessions: GateSessions;
  /** Orders with a call under way, by client id and order id; open connections bound them. */
  running: Set<string>;
  /** The XIDs of payments, by client id. */
  usedXids: ReadonlySet<string>;
  merchantOf: (clientId: string) => Merchant | undefined;
  rulesOf: (merchant: Merchant) => Rules;
  /** The time that the bank takes to reverse a call that its host did not answer. */
  reversalMs: number;
};
