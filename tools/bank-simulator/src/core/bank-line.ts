import type { Posting, Row } from "./book.ts";
import type { Authentication } from "./gate-session.ts";

/** An operation that a Turkish bank has judged: the part of a ledger line that all these protocols share. */
export type BankLine = {
  /** ISO 8601, UTC. */
  at: string;
  operation: "authorize" | "sale" | "capture" | "void" | "refund";
  /** The merchant's order id as it was sent, or one that the bank generated. */
  orderId: string;
  /** The movement's name at the bank; for a void the voided movement's name. */
  transactionId: string;
  authCode: string | null;
  hostReference: string | null;
  /** The hold of a capture, the voided movement of a void. */
  relatedTransactionId: string | null;
  /** The approved or declined amount. */
  amountMinor: number;
  /** The requested amount, if another one was approved. */
  requestedMinor: number | undefined;
  /** The excess that inquiries show, where a fault makes them wrong. */
  shownExtraMinor: number | undefined;
  /** ISO 4217 letters. */
  currency: string;
  outcome: "approved" | "declined";
  /** `00`, the issuer's or the host's two characters, or the code of the gateway. */
  resultCode: string;
  /** First six and last four digits; null if no card is known. */
  pan: string | null;
  installments: number;
  authentication: Authentication | null;
  /** True if the order's history shows it. */
  listed: boolean;
  /** The kind of the voided movement; null for all other operations. */
  voided: "hold" | "sale" | "capture" | "credit" | null;
  /** True if the hold of a voided capture stands again. */
  holdReturned: boolean;
  uncalled?: Uncalled | undefined;
};

/** The cause of a movement that no call has asked for: a call that was carried out again, or a person in the panel. */
export type Uncalled = "again" | "panel";

/** @param voidId the name under which a void is in the book */
export function postingOfLine(line: BankLine, merchant: string, voidId: string): Posting | undefined {
  const { operation, transactionId } = line;
  const isApproved = line.outcome === "approved";
  const changesRow = operation === "capture" || operation === "void";
  if (changesRow ? !isApproved : !line.listed) return undefined;
  return {
    operation,
    merchant,
    order: line.orderId,
    id: operation === "void" ? voidId : transactionId,
    of: line.relatedTransactionId ?? undefined,
    amountMinor: BigInt(line.amountMinor),
    currency: line.currency,
    isApproved,
    atMs: Date.parse(line.at),
    restoresHold: line.holdReturned,
  };
}

/** The kind of movement that a void of the row voids. */
export function voidedKind(row: Row<unknown>): BankLine["voided"] {
  if (row.kind === "refund") return "credit";
  if (row.status === "authorized") return "hold";
  return row.isHold ? "capture" : "sale";
}
