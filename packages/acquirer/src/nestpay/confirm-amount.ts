import type { AcquirerAmount, NotSent, Unknown } from "../acquirer.ts";
import { MISMATCH, type ApprovedVerdict, type Verdict } from "./answer-verdict.ts";
import type { NestpayBank } from "./nestpay-bank.ts";
import type { OrderHistory } from "./order-history.ts";
import { standingOf } from "./standing.ts";

/**
 * Asks in which amount the bank approved what it said it had approved: its answers have no amount, and its history does. An
 * approval is believed only in the amount that was asked for. Without an answer the outcome is unknown, and recovery asks
 * again: the money has moved, but nobody knows how much of it.
 */
export async function confirmAmount(
  bank: Pick<NestpayBank, "history">,
  verdict: Verdict,
  asked: Pick<AcquirerAmount, "amountMinor"> & { orderId: string; until: Date },
): Promise<Verdict> {
  if (verdict.kind !== "approved") return verdict;
  return confirmedBy(verdict, await bank.history(asked.orderId, asked.until), asked.amountMinor);
}

/** What an approval is worth by the order's history. */
export function confirmedBy(
  approval: ApprovedVerdict,
  history: OrderHistory,
  amountMinor: bigint,
): ApprovedVerdict | Unknown {
  if (history.kind !== "found") return unconfirmed(history);
  const standing = standingOf(history.rows, approval.transId);
  switch (standing.kind) {
    case "live":
    case "settled": {
      const { row } = standing;
      return (row.capturedMinor ?? row.amountMinor) === amountMinor ? approval : MISMATCH;
    }
    case "pending":
    // The history is behind the approval.
    case "none":
      return PENDING;
    // Something undid it meanwhile, or there are two.
    case "voided":
    case "several":
      return MISMATCH;
    default:
      return standing satisfies never;
  }
}

function unconfirmed(history: Unknown | NotSent | { kind: "not_found" }): Unknown {
  return history.kind === "unknown" ? history : PENDING;
}

const PENDING: Unknown = { kind: "unknown", reason: "pending" };
