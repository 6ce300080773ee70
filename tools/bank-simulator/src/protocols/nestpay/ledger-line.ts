import type { LedgerRow, Order, Posting, Row } from "../../core/index.ts";

/** The result of 3-D Secure for a payment. */
export type Authentication = { mdStatus: string; eci: string; cavv: string; xid: string };

/** An operation that the bank has judged, before the ledger has numbered it. */
export type Entry = {
  /** ISO 8601, UTC. */
  at: string;
  operation: "authorize" | "sale" | "capture" | "void" | "refund";
  clientId: string;
  /** The merchant's order id as it was sent, or the one that the bank made. */
  orderId: string;
  groupId: string;
  /** The movement's TransId; for a void that of the voided movement. */
  transactionId: string;
  authCode: string | null;
  hostReference: string | null;
  /** The hold of a capture, the voided movement of a void. */
  relatedTransactionId: string | null;
  /** The approved or declined amount. */
  amountMinor: number;
  /** The requested amount, where another one was approved. */
  requestedMinor: number | undefined;
  /** The excess that inquiries show, where a fault makes them wrong. */
  shownExtraMinor: number | undefined;
  /** ISO 4217 letters. */
  currency: string;
  outcome: "approved" | "declined";
  /** `00`, the issuer's two characters, or `CORE-` and the gateway's code. */
  resultCode: string;
  /** First six and last four digits; null where no card is known. */
  pan: string | null;
  installments: number;
  authentication: Authentication | null;
  /** True if the order's history shows it. Voids and most refusals leave no row. */
  listed: boolean;
  /** The kind of the voided movement; null for all other operations. */
  voided: "hold" | "sale" | "capture" | "credit" | null;
  /** True if the hold of a voided capture stands again. */
  holdReturned: boolean;
};

/** A line of the ledger file and of `GET /ledger`. */
export type LedgerLine = Entry & LedgerRow;
export type BankOrder = Order<Entry>;
export type BankRow = Row<Entry>;

/** A void has no TransId of its own. */
export function postingOf(line: Entry): Posting | undefined {
  const { operation, transactionId } = line;
  const isApproved = line.outcome === "approved";
  const changesRow = operation === "capture" || operation === "void";
  if (changesRow ? !isApproved : !line.listed) return undefined;
  return {
    operation,
    merchant: line.clientId,
    order: line.orderId,
    id: operation === "void" ? `void of ${transactionId}` : transactionId,
    of: line.relatedTransactionId ?? undefined,
    amountMinor: BigInt(line.amountMinor),
    currency: line.currency,
    isApproved,
    atMs: Date.parse(line.at),
    restoresHold: line.holdReturned,
  };
}

/** A sale is captured when it is made. */
export function capturedAtMs({ capture, atMs }: BankRow): number {
  return capture ? Date.parse(capture.at) : atMs;
}

/** The GroupId of an order is that of its first movement. */
export function groupOf(order: BankOrder | undefined): string | undefined {
  return order?.rows[0]?.line.groupId;
}
