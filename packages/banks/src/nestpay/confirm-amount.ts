import type { AcquirerAmount, NotSent, Unknown } from "@holdfast/acquirer";
import { MISMATCH, type ApprovedVerdict, type Verdict } from "./answer-verdict.ts";
import type { NestpayBank } from "./nestpay-bank.ts";
import type { OrderHistory } from "./order-history.ts";
import { voidTargetOf } from "./void-target.ts";

/**
 * Asks the history in which amount the bank approved a call, since its answers have no amount. An approval is believed
 * only in the amount that was requested. Without an answer the outcome is unknown, and recovery asks again: the money
 * has moved, in an unknown amount.
 */
export async function confirmAmount(
  bank: Pick<NestpayBank, "history">,
  verdict: Verdict,
  asked: Pick<AcquirerAmount, "amountMinor"> & { orderId: string; until: Date },
): Promise<Verdict> {
  if (verdict.kind !== "approved") return verdict;
  return confirmedBy(verdict, await bank.history(asked.orderId, asked.until), asked.amountMinor);
}

/** The outcome of an approval by the order's history. */
export function confirmedBy(
  approval: ApprovedVerdict,
  history: OrderHistory,
  amountMinor: bigint,
): ApprovedVerdict | Unknown {
  if (history.kind !== "found") return unconfirmed(history);
  const target = voidTargetOf(history.rows, approval.transId);
  switch (target.kind) {
    case "live":
    case "settled": {
      const { row } = target;
      return (row.capturedMinor ?? row.amountMinor) === amountMinor ? approval : MISMATCH;
    }
    case "pending":
    // The history is behind the approval.
    case "none":
      return PENDING;
    // Something voided it meanwhile, or there are two.
    case "voided":
    case "several":
      return MISMATCH;
    default:
      return target satisfies never;
  }
}

function unconfirmed(history: Unknown | NotSent | { kind: "not_found" }): Unknown {
  return history.kind === "unknown" ? history : PENDING;
}

const PENDING: Unknown = { kind: "unknown", reason: "pending" };
