import type { Found, Ledgers } from "../ledgers.ts";

/** Invariant 10. Each accepted refund is of a refundable payment of the same merchant, in the same currency. */
export function refundsAreOfRefundablePayments({ refunds, payments }: Ledgers): Found[] {
  const byId = new Map(payments.map((payment) => [payment.paymentId, payment]));
  return refunds.flatMap(({ refundId, paymentId, state, merchantId, currency }) => {
    if (state === "RESERVING") return [];
    const ids = [refundId, paymentId];
    const payment = byId.get(paymentId);
    if (!payment) return [{ ids, what: "has no payment" }];
    const isTheirs = payment.merchantId === merchantId && payment.currency === currency;
    if (isTheirs && REFUNDABLE.has(payment.state)) return [];
    return [
      { ids, what: `is of a ${payment.state} payment of ${payment.merchantId} in ${payment.currency}` },
    ];
  });
}

/** A payment may have been cancelled since, when nothing was reserved. */
const REFUNDABLE: ReadonlySet<string> = new Set(["SUCCESS", "CAPTURED", "CANCELLED"]);
