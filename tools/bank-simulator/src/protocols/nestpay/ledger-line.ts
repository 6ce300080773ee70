import {
  postingOfLine,
  type BankLine,
  type LedgerRow,
  type Order,
  type Posting,
  type Row,
} from "../../core/index.ts";

/** An operation that the bank has judged, before the ledger has numbered it. Voids and most refusals leave no row. */
export type Entry = BankLine & { clientId: string; groupId: string };

/** A line of the ledger file and of `GET /ledger`. */
export type LedgerLine = Entry & LedgerRow;
export type BankOrder = Order<Entry>;
export type BankRow = Row<Entry>;

/** A void has no TransId of its own. */
export function postingOf(line: Entry): Posting | undefined {
  return postingOfLine(line, line.clientId, `void of ${line.transactionId}`);
}

/** A sale is captured when it is made. */
export function capturedAtMs({ capture, atMs }: BankRow): number {
  return capture ? Date.parse(capture.at) : atMs;
}

/** An order's GroupId is its first movement's. */
export function groupOf(order: BankOrder | undefined): string | undefined {
  return order?.rows[0]?.line.groupId;
}
