import type { OperationName } from "./operation-request.ts";
import type { ResultCode } from "./result-codes.ts";

/** An operation at the bank under one reference. */
export type LedgerEntry = {
  /** ISO 8601, UTC. */
  at: string;
  operation: OperationName;
  reference: string;
  parentReference: string | null;
  /** The approved or declined amount. */
  amountMinor: bigint;
  /** The requested amount, where a smaller one was approved. */
  requestedMinor?: bigint | undefined;
  currency: string;
  outcome: "approved" | "declined";
  externalTransactionId: string;
  /** First six and last four digits; null where no card is known. */
  pan: string | null;
  /** The programme that an authorization or a sale named, where it named one. */
  loyaltyCode?: string | undefined;
  authCode: string | null;
  resultCode: ResultCode;
};

/** A line of the ledger file and of `GET /ledger`. */
export type LedgerLine = Omit<LedgerEntry, "amountMinor" | "requestedMinor"> & {
  sequence: number;
  amountMinor: number;
  requestedMinor?: number | undefined;
};

export function lineOf(entry: LedgerEntry): Omit<LedgerLine, "sequence"> {
  const { amountMinor, requestedMinor } = entry;
  return {
    ...entry,
    amountMinor: Number(amountMinor),
    requestedMinor: requestedMinor === undefined ? undefined : Number(requestedMinor),
  };
}

export function entryOf(line: LedgerLine): LedgerEntry {
  const { amountMinor, requestedMinor } = line;
  return {
    ...line,
    amountMinor: BigInt(amountMinor),
    requestedMinor: requestedMinor === undefined ? undefined : BigInt(requestedMinor),
  };
}
