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
 * hostlogkey, null if it was refused. `orderDate` is set if order ids are used up for one day only.
 */
export type Entry = BankLine & { mid: string; tid: string; orderDate: string | null };

/** A line of the ledger file and of `GET /ledger`. */
export type LedgerLine = Entry & LedgerRow;
export type BankOrder = Order<Entry>;
export type BankRow = Row<Entry>;

/** The id of an order in the book. */
export function orderName({ orderId, orderDate }: Pick<Entry, "orderId" | "orderDate">): string {
  return orderDate === null ? orderId : `${orderId}/${orderDate}`;
}

/** The name of a void is found by nobody. */
export function postingOf(line: Entry): Posting | undefined {
  const posting = postingOfLine(line, line.tid, `reverse ${line.hostReference}`);
  return posting && { ...posting, order: orderName(line) };
}

/** The name of the ledger's `sequence`-th line, of 18 digits. */
export function hostLogKeyOf(sequence: number): string {
  return `0${String(sequence).padStart(10, "0")}0000191`;
}
