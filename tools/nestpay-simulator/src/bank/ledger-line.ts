import type { LedgerRow } from "@holdfast/bank-simulator/core";

/** The result of 3-D Secure for a payment. */
export type Authentication = { mdStatus: string; eci: string; cavv: string; xid: string };

/** One operation that the bank has judged: a line of the ledger file and of `GET /ledger`. */
export type LedgerLine = LedgerRow & {
  operation: "authorize" | "sale" | "capture" | "void" | "refund";
  clientId: string;
  /** The merchant's order id as it was sent, or the one that the bank made. */
  orderId: string;
  groupId: string;
  /** The movement's TransId; for a void that of the voided movement. */
  transactionId: string;
  /** The hold of a capture, the voided movement of a void. */
  relatedTransactionId: string | null;
  /** The approved or declined amount. */
  amountMinor: number;
  /** The requested amount, where another one was approved. */
  requestedMinor?: number | undefined;
  /** The excess that inquiries show, where a fault makes them wrong. */
  shownExtraMinor?: number | undefined;
  /** ISO 4217 letters. */
  currency: string;
  outcome: "approved" | "declined";
  /** `00`, the issuer's two characters, or `CORE-` and the gateway's code. */
  resultCode: string;
  authCode: string | null;
  hostReference: string | null;
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

/** A line before the ledger has numbered it. */
export type LedgerEntry = Omit<LedgerLine, "sequence">;
