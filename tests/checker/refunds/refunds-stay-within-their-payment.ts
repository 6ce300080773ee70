import type { Found, Ledgers, PaymentRow, RefundRow } from "../ledgers.ts";

/**
 * Invariant 9. At no moment do the refunds that wait, are carried out or were paid add up to more than the payment:
 * their changes are replayed in the order of their transactions.
 */
export function refundsStayWithinTheirPayment({ refundHistory, refunds, payments }: Ledgers): Found[] {
  const refundsById = new Map(refunds.map((refund) => [refund.refundId, refund]));
  const paymentsById = new Map(payments.map((payment) => [payment.paymentId, payment]));
  const held = new Map<string, bigint>();
  const inOrder = refundHistory.toSorted(
    (a, b) => Number(BigInt(a.transactionId) - BigInt(b.transactionId)) || a.version - b.version,
  );
  const atEachStep = inOrder.flatMap(({ refundId, from, to }): Found[] => {
    const refund = refundsById.get(refundId);
    const payment = paymentsById.get(refund?.paymentId ?? "");
    if (!refund || !payment)
      return [{ ids: [refundId], what: "has changed, and it or its payment is not there" }];
    const key = `${refund.paymentId} ${refund.kind}`;
    const sum = (held.get(key) ?? 0n) + changeOf(refund, from, to);
    held.set(key, sum);
    const limit = limitOf(payment, refund);
    return sum > limit ? [{ ids: [refundId], what: `became ${to}, and ${sum} of ${limit} are refunds` }] : [];
  });
  const atTheEnd = payments.flatMap(({ paymentId, amountMinor, capturedMinor }) => {
    const released = held.get(`${paymentId} release`) ?? 0n;
    if (released + capturedMinor <= amountMinor) return [];
    return [{ ids: [paymentId], what: `${released} were released of what was captured` }];
  });
  return [...atEachStep, ...atTheEnd];
}

function changeOf({ amountMinor }: RefundRow, from: string, to: string): bigint {
  if (HOLDS_MONEY.has(from) === HOLDS_MONEY.has(to)) return 0n;
  return HOLDS_MONEY.has(to) ? amountMinor : -amountMinor;
}

const HOLDS_MONEY: ReadonlySet<string> = new Set(["PENDING_APPROVAL", "EXECUTING", "SETTLING", "SUCCESS"]);

/** Bounds each step by the whole amount: a release may have ended in nothing before the payment was captured. */
function limitOf({ state, amountMinor, capturedMinor }: PaymentRow, { kind }: RefundRow): bigint {
  return kind === "refund" && state === "CAPTURED" ? capturedMinor : amountMinor;
}
