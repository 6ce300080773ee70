import { isRefund, isReversalRefund, refundIdOf } from "../bank-lines.ts";
import type { ApprovalRow, BankLine, Found, Ledgers, RefundRow } from "../ledgers.ts";

/**
 * Invariant 12. The bank has paid each SUCCESS refund exactly once and no other refund, in its amount and
 * kind, and not before it was approved. It has paid nothing else, except refunds in place of the reversal of
 * settled money.
 */
export function refundsArePaidOnce({ bank, refunds, approvals }: Ledgers): Found[] {
  const known = new Set(refunds.map(({ refundId }) => refundId));
  const paid = bank.filter(
    (line) => line.outcome === "approved" && isRefund(line.operation) && !isReversalRefund(line),
  );
  const lines = Map.groupBy(paid, refundIdOf);
  const approved = Map.groupBy(approvals, ({ refundId }) => refundId);
  return [
    ...refunds.flatMap((refund) =>
      doubtsAbout(refund, lines.get(refund.refundId) ?? [], approved.get(refund.refundId) ?? []).map(
        (what) => ({ ids: [refund.refundId], what }),
      ),
    ),
    ...paid
      .filter((line) => !known.has(refundIdOf(line)))
      .map(({ reference }) => ({ ids: [reference], what: "was paid for nobody" })),
  ];
}

function doubtsAbout(
  { state, amountMinor, kind, currency }: RefundRow,
  lines: BankLine[],
  approvals: ApprovalRow[],
): string[] {
  const isPaid = state === "SUCCESS" || state === "SETTLING";
  const expected = isPaid ? 1 : state === "EXECUTING" ? Math.min(1, lines.length) : 0;
  if (lines.length !== expected) return [`is ${state}, and the bank paid it ${lines.length} times`];
  return lines.flatMap((line) => [
    ...(line.amountMinor === amountMinor && line.currency === currency
      ? []
      : [`is ${amountMinor} ${currency}, and the bank paid ${line.amountMinor} ${line.currency}`]),
    ...(line.operation === kind ? [] : [`is a ${kind}, at the bank a ${line.operation}`]),
    ...(approvals.some(({ at }) => at.getTime() <= Date.parse(line.at) + CLOCK_STEP_MS)
      ? []
      : ["was paid before it was approved"]),
  ]);
}

/** Both clocks are this machine's, to the millisecond. */
const CLOCK_STEP_MS = 1;
