import type { LedgerRow, Posting } from "../../core/index.ts";
import type { OperationName } from "./operation-request.ts";
import type { ResultCode } from "./result-codes.ts";

/** An operation at the bank under one reference, before the ledger has numbered it. */
export type Entry = {
  /** ISO 8601, UTC. */
  at: string;
  operation: OperationName;
  reference: string;
  parentReference: string | null;
  /** The approved or declined amount. */
  amountMinor: number;
  /** The requested amount, if a smaller one was approved. */
  requestedMinor?: number | undefined;
  currency: string;
  outcome: "approved" | "declined";
  externalTransactionId: string;
  /** First six and last four digits; null if no card is known. */
  pan: string | null;
  /** The programme of an authorization or a sale, if it named one. */
  loyaltyCode?: string | undefined;
  authCode: string | null;
  resultCode: ResultCode;
};

/** A line of the ledger file and of `GET /ledger`. */
export type LedgerLine = Entry & LedgerRow;

/** The bank has one merchant, and its orders are named by the references of their payments. */
export const MERCHANT = "";

export function postingOf(line: Entry): Posting {
  const { operation, reference, parentReference } = line;
  return {
    operation: operation === "cancel" ? "void" : operation,
    merchant: MERCHANT,
    order: parentReference ?? reference,
    id: reference,
    of: parentReference ?? undefined,
    amountMinor: BigInt(line.amountMinor),
    currency: line.currency,
    isApproved: line.outcome === "approved",
    atMs: Date.parse(line.at),
  };
}
