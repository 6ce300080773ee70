import {
  postingOfLine,
  type BankLine,
  type LedgerRow,
  type Order,
  type Posting,
  type Row,
} from "../../core/index.ts";

/**
 * An operation that the bank has judged, before the ledger has numbered it. `hostReference` is the call's own
 * RetrefNum, which is also the movement's name; null if the gateway refused the call before that. `batch` is
 * its day's number.
 */
export type Entry = BankLine & { terminalId: string; batch: number };

/** The types of calls and movements on the wire. */
export const TYPES = {
  authorize: "preauth",
  sale: "sales",
  capture: "postauth",
  void: "void",
  refund: "refund",
};

/** A line of the ledger file and of `GET /ledger`. */
export type LedgerLine = Entry & LedgerRow;
export type BankOrder = Order<Entry>;
export type BankRow = Row<Entry>;

/** A void has a RetrefNum of its own, under which nothing can be found. */
export function postingOf(line: Entry): Posting | undefined {
  return postingOfLine(line, line.terminalId, line.hostReference ?? "");
}
