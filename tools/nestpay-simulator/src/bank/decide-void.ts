import type { Rules } from "../modes.ts";
import type { FoundRow } from "./bank.ts";
import type { LedgerEntry } from "./ledger-line.ts";
import { netMinor, wasApproved, type Order, type Row } from "./order.ts";
import { approved, refused, type RefusalCode, type Verdict } from "./refusals.ts";

/** The voided movement; undefined where there is none. */
export type VoidDecision = { verdict: Verdict; found: FoundRow | undefined };

/** Decides a Void by TransId: of that movement and no other (Nestpay protocol, rules of life 3). */
export function decideVoidOfMovement(
  found: FoundRow | undefined,
  transactionId: string,
  batch: number,
  rules: Rules,
): VoidDecision {
  // A hold that was captured lives on under its PostAuth's TransId.
  if (!found || !names(found.row, transactionId, rules)) return { verdict: refused(2008), found };
  const fault = faultOf(found.row, batch, rules) ?? faultOfNet(found);
  return { verdict: fault ? refused(fault) : approved, found };
}

/** Decides a Void by OrderId: of the order's only voidable movement, whichever that is (rules of life 3). */
export function decideVoidOfOrder(order: Order | undefined, batch: number, rules: Rules): VoidDecision {
  const rows = order?.rows.filter((row) => wasApproved(row)) ?? [];
  const faults = rows.map((row) => faultOf(row, batch, rules));
  const voidable = rows.filter((_, index) => faults[index] === undefined);
  if (voidable.length > 1) return { verdict: refused(2133), found: undefined };
  const [row] = voidable;
  if (order && row) return { verdict: approved, found: { order, row } };
  return { verdict: refused(faults.includes(2511) ? 2511 : 2008), found: undefined };
}

/** The kind of movement that a void of the row voids. */
export function voidedKind(row: Row): Exclude<LedgerEntry["voided"], null> {
  if (row.kind === "credit") return "credit";
  if (row.status === "authorized") return "hold";
  return row.isHold ? "capture" : "sale";
}

function names(row: Row, transactionId: string, rules: Rules): boolean {
  if (row.captureTransactionId === undefined) return row.transactionId === transactionId;
  return row.captureTransactionId === transactionId || rules.transIdAfterCapture === "hold";
}

function faultOf(row: Row, batch: number, rules: Rules): RefusalCode | undefined {
  switch (row.status) {
    case "authorized":
      return row.batch === batch || rules.voidHoldsAfterDay ? undefined : 2008;
    case "captured":
      return undefined;
    case "settled":
      return 2511;
    case "voided":
    case "declined":
      return 2008;
    default:
      return row.status satisfies never;
  }
}

/** A sale cannot be voided while its refund stands: the buyer would get the money twice. */
function faultOfNet({ order, row }: FoundRow): RefusalCode | undefined {
  const isCapture = row.kind === "payment" && row.status === "captured";
  return isCapture && netMinor(order) < (row.capturedMinor ?? 0n) ? 2008 : undefined;
}
