import type { CheckoutRow, Ledgers, PaymentRow } from "../ledgers.ts";

/** A payment of a checkout, and whether it has ever been SUCCESS. */
export type CheckoutAttempt = { payment: PaymentRow; attempt: number; late: boolean; hasSucceeded: boolean };

/** Every checkout with its payments, in the order of their attempts. */
export function attemptsByCheckout({
  checkouts,
  checkoutPayments,
  payments,
  paymentHistory,
}: Ledgers): { checkout: CheckoutRow; attempts: CheckoutAttempt[] }[] {
  const rows = new Map(payments.map((payment) => [payment.paymentId, payment]));
  const succeeded = new Set(
    paymentHistory.filter(({ to }) => to === "SUCCESS").map(({ paymentId }) => paymentId),
  );
  const made = Map.groupBy(checkoutPayments, ({ checkoutId }) => checkoutId);
  return checkouts.map((checkout) => ({
    checkout,
    attempts: (made.get(checkout.checkoutId) ?? []).flatMap(({ paymentId, attempt, late }) => {
      const payment = rows.get(paymentId);
      return payment ? [{ payment, attempt, late, hasSucceeded: succeeded.has(paymentId) }] : [];
    }),
  }));
}
