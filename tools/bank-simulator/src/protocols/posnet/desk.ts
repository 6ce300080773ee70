import type { Office, Sessions } from "../../core/index.ts";
import type { faultTable } from "./behaviours.ts";
import type { Merchant, Modes } from "./config.ts";
import type { GateSession } from "./gate.ts";
import type { Entry } from "./ledger-line.ts";

export type PosnetOffice = Office<Entry, never, typeof faultTable, Modes>;

/** The parts that this protocol's calls use. */
export type Desk = PosnetOffice & {
  sessions: Sessions<GateSession>;
  merchants: readonly Merchant[];
  /** The key of packets that the bank alone opens. It ends with the process, as the sessions do. */
  ownKey: string;
  /** All lines of an order, oldest first. @param order its id in the book */
  linesOf: (tid: string, order: string) => readonly Entry[];
};
