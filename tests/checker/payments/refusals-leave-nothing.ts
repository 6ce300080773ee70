import { isPayment, paymentIdOf } from "../bank-lines.ts";
import type { Found, HistoryEntry, Ledgers } from "../ledgers.ts";

/**
 * Invariant 27. A request that was refused with a 4xx, at any time, leaves no payment, and the bank is never asked
 * about one that has no row. (Invariant 2 counts the remains of refused refund requests.)
 */
export function refusalsLeaveNothing({ history, payments, bank }: Ledgers): Found[] {
  const orders = Map.groupBy(
    history.filter(({ order }) => order),
    ({ order }) => order?.orderId ?? "",
  );
  const known = new Set(payments.map(({ paymentId }) => paymentId));
  const strangers = bank.filter((line) => isPayment(line.operation) && !known.has(paymentIdOf(line)));
  return [
    ...payments
      .filter(({ orderId }) => orders.get(orderId)?.every(isRefused))
      .map(({ paymentId, orderId }) => ({ ids: [paymentId, orderId], what: "was refused and exists" })),
    ...strangers.map((line) => ({
      ids: [paymentIdOf(line)],
      what: "the bank was asked, and there is no row",
    })),
  ];
}

function isRefused({ status = 0 }: HistoryEntry): boolean {
  return status >= 400 && status < 500;
}
