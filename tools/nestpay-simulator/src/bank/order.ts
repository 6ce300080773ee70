import type { Authentication, LedgerEntry } from "./ledger-line.ts";

/**
 * One movement of an order, as the inquiries show it. A capture changes its hold's row and a void that of the voided
 * movement; a refund has a row of its own (Nestpay protocol, inquiry).
 */
export type Row = {
  kind: "payment" | "credit";
  status: "authorized" | "captured" | "settled" | "voided" | "declined";
  /** True if it began as a hold. */
  isHold: boolean;
  /** The TransId that the movement was given first. */
  transactionId: string;
  /** The PostAuth's TransId. */
  captureTransactionId: string | undefined;
  /** The amount that the issuer has reserved, or that of the refund. */
  amountMinor: bigint;
  capturedMinor: bigint | undefined;
  shownExtraMinor: bigint;
  currency: string;
  installments: number;
  atMs: number;
  capturedAtMs: number | undefined;
  voidedAtMs: number | undefined;
  /** The batches, which are numbered by days' ends, in which it was made and in which it was settled. */
  batch: number;
  settledInBatch: number | undefined;
  hostReference: string | null;
  authCode: string | null;
  /** `00`, the issuer's two characters, or 99 where the gateway refused. */
  procReturnCode: string;
  pan: string | null;
  authentication: Authentication | null;
};

/** All movements under one order id of a merchant, oldest first. */
export type Order = { clientId: string; orderId: string; groupId: string; rows: Row[] };

/** @returns the row of an authorization, a sale or a refund that `batch` has seen. */
export function rowOf(line: LedgerEntry, batch: number): Row {
  const isApproved = line.outcome === "approved";
  const isCaptured = isApproved && line.operation !== "authorize";
  const atMs = Date.parse(line.at);
  const amountMinor = BigInt(line.amountMinor);
  // A refused refund shows its amount as captured, although nothing has moved.
  const showsCapture = isCaptured || line.operation === "refund";
  return {
    kind: line.operation === "refund" ? "credit" : "payment",
    status: isApproved ? (isCaptured ? "captured" : "authorized") : "declined",
    isHold: line.operation === "authorize",
    transactionId: line.transactionId,
    captureTransactionId: undefined,
    amountMinor,
    capturedMinor: showsCapture ? amountMinor : undefined,
    shownExtraMinor: BigInt(line.shownExtraMinor ?? 0),
    currency: line.currency,
    installments: line.installments,
    atMs,
    capturedAtMs: showsCapture ? atMs : undefined,
    voidedAtMs: undefined,
    batch,
    settledInBatch: undefined,
    hostReference: line.hostReference,
    authCode: line.authCode,
    procReturnCode: line.resultCode.startsWith("CORE-") ? "99" : line.resultCode,
    pan: line.pan,
    authentication: line.authentication,
  };
}

export function applyCapture(row: Row, line: LedgerEntry): void {
  row.status = "captured";
  row.captureTransactionId = line.transactionId;
  row.capturedMinor = BigInt(line.amountMinor);
  row.capturedAtMs = Date.parse(line.at);
  row.shownExtraMinor = BigInt(line.shownExtraMinor ?? 0);
}

export function applyVoid(row: Row, line: LedgerEntry): void {
  if (line.holdReturned) {
    row.status = "authorized";
    row.captureTransactionId = undefined;
    row.capturedMinor = undefined;
    row.capturedAtMs = undefined;
    return;
  }
  row.status = "voided";
  row.voidedAtMs = Date.parse(line.at);
}

/** True if the movement was approved, even if it was voided later. */
export function wasApproved(row: Row): boolean {
  return row.status !== "declined";
}

/** True while the bank still has to reverse a call that its host did not answer (rules of life 7). */
export function isReversing(row: Row, nowMs: number, reversalMs: number): boolean {
  return row.procReturnCode === HOST_TIMEOUT && nowMs < row.atMs + reversalMs;
}

/** The captured amount, minus refunds that were not voided. */
export function netMinor({ rows }: Order): bigint {
  return rows
    .filter(({ status }) => status === "captured" || status === "settled")
    .reduce((net, row) => net + (row.kind === "credit" ? -row.amountMinor : (row.capturedMinor ?? 0n)), 0n);
}

const HOST_TIMEOUT = "92";
