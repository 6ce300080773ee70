import type { TerminalDesk } from "../../core/index.ts";
import type { faultTable } from "./behaviours.ts";
import type { Merchant, Modes } from "./config.ts";
import type { GateSession } from "./gate-form.ts";
import type { Entry } from "./ledger-line.ts";

/** The parts that this protocol's calls use. */
export type Desk = TerminalDesk<Entry, typeof faultTable, Modes, Merchant, GateSession>;
