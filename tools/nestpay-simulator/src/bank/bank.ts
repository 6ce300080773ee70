import type { LedgerEntry } from "./ledger-line.ts";
import { applyCapture, applyVoid, rowOf, type Order, type Row } from "./order.ts";

export type FoundRow = { order: Order; row: Row };

/** A movement that a statement shows: a sale, a capture, a refund or a void of a day, and its row. */
export type DayMovement = { line: LedgerEntry; row: Row };

/**
 * The bank's state: it is derived from the ledger's lines and the days' ends alone, so that a restart can rebuild it from
 * them.
 */
export class Bank {
  readonly #orders = new Map<string, Order>();
  readonly #rows = new Map<string, FoundRow>();
  readonly #usedXids = new Set<string>();
  #unsettled = new Set<Row>();
  #day: DayMovement[] = [];
  #sequence = 0;
  #batch = 1;

  /** The number of the ledger's last line that was applied, 0 before the first. */
  get sequence(): number {
    return this.#sequence;
  }

  /** The number of the day that is open; it is the SETTLEID of what its end settles. */
  get batch(): number {
    return this.#batch;
  }

  order(clientId: string, orderId: string): Order | undefined {
    return this.#orders.get(`${clientId}/${orderId}`);
  }

  /** The approved movement of a TransId. After a capture the hold's own TransId finds its row, too. */
  row(clientId: string, transactionId: string): FoundRow | undefined {
    return this.#rows.get(`${clientId}/${transactionId}`);
  }

  hasUsed(clientId: string, xid: string): boolean {
    return this.#usedXids.has(`${clientId}/${xid}`);
  }

  /** Applies a line that the rules have decided on, now or before a restart. */
  apply(line: LedgerEntry): void {
    this.#sequence += 1;
    if (line.authentication) this.#usedXids.add(`${line.clientId}/${line.authentication.xid}`);
    if (line.operation === "capture" || line.operation === "void") this.#applyToRow(line);
    else if (line.listed) this.#addRow(line);
  }

  /** Ends the day: captured and refunded rows are settled in its batch. @returns the day's movements. */
  settle(): DayMovement[] {
    const movements = this.#day;
    for (const row of this.#unsettled) {
      if (row.status !== "captured") continue;
      row.status = "settled";
      row.settledInBatch = this.#batch;
    }
    this.#unsettled = new Set();
    this.#day = [];
    this.#batch += 1;
    return movements;
  }

  #addRow(line: LedgerEntry): void {
    const row = rowOf(line, this.#batch);
    const order = this.#openOrder(line);
    order.rows.push(row);
    if (row.status === "declined") return;
    this.#rows.set(`${line.clientId}/${row.transactionId}`, { order, row });
    if (row.status === "captured") this.#move(line, row);
  }

  #applyToRow(line: LedgerEntry): void {
    if (line.outcome === "declined" || line.relatedTransactionId === null) return;
    const found = this.row(line.clientId, line.relatedTransactionId);
    if (!found) throw new Error("a capture or a void of a movement that the ledger does not have");
    if (line.operation === "capture") {
      applyCapture(found.row, line);
      this.#rows.set(`${line.clientId}/${line.transactionId}`, found);
    } else applyVoid(found.row, line);
    if (line.voided !== "hold") this.#move(line, found.row);
  }

  #move(line: LedgerEntry, row: Row): void {
    this.#day.push({ line, row });
    this.#unsettled.add(row);
  }

  #openOrder({ clientId, orderId, groupId }: LedgerEntry): Order {
    const known = this.order(clientId, orderId);
    if (known) return known;
    const order = { clientId, orderId, groupId, rows: [] };
    this.#orders.set(`${clientId}/${orderId}`, order);
    return order;
  }
}
