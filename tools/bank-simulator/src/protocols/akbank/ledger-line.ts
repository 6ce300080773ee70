import {
  postingOfLine,
  type BankLine,
  type LedgerRow,
  type Order,
  type Posting,
  type Row,
} from "../../core/index.ts";

/**
 * An operation that the bank has judged, before the ledger has numbered it. `hostReference` is the rrn, which a hold shares
 * with its capture, and null if the gateway refused. `batch` and `stan` name the call, `rowId` the row of a follow-up.
 */
export type Entry = BankLine & { terminalSafeId: string; batch: number; stan: number; rowId: string };

/** The codes of calls and of rows. */
export const TXN_CODES = { authorize: "1004", sale: "1000", capture: "1005", void: "1003", refund: "1002" };

/** A line of the ledger file and of `GET /ledger`. */
export type LedgerLine = Entry & LedgerRow;
export type BankOrder = Order<Entry>;
export type BankRow = Row<Entry>;

/** A cancellation names the order alone; its own name is found by nobody. */
export function postingOf(line: Entry): Posting | undefined {
  return postingOfLine(line, line.terminalSafeId, `cancel ${line.batch}:${line.stan}`);
}
