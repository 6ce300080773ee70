import type { Office, Sessions } from "../../core/index.ts";
import type { faultTable } from "./behaviours.ts";
import type { Merchant, Modes } from "./config.ts";
import type { GateSession } from "./gate-form.ts";
import type { Entry } from "./ledger-line.ts";

export type AkbankOffice = Office<Entry, never, typeof faultTable, Modes>;

/** The parts that this protocol's calls use. */
export type Desk = AkbankOffice & {
  sessions: Sessions<GateSession>;
  merchantOf: (terminalSafeId: string) => Merchant | undefined;
  /** The lines that an order's history shows, oldest first. */
  linesOf: (terminalSafeId: string, orderId: string) => readonly Entry[];
};
