import { approvals, isLive, linesByPayment } from "../bank-lines.ts";
import { attemptsByCheckout, type CheckoutAttempt } from "./checkout-attempts.ts";
import type { BankLine, CheckoutRow, Found, Ledgers } from "../ledgers.ts";
import { isUnsettled } from "../payments/payment-states.ts";

type Lines = Map<string, BankLine[]>;

/**
 * Invariant 31. At most one payment of a checkout ever succeeds. The checkout is COMPLETED if and only if one
 * did, and names that payment. The bank has approved it once, in the checkout's own kind of operation, and
 * has reserved or captured nothing for the others. Its success is one event. No checkout is closed while a
 * payment's outcome is unknown.
 */
export function checkoutsArePaidOnce(ledgers: Ledgers): Found[] {
  const lines = linesByPayment(ledgers.bank);
  const events = Map.groupBy(
    ledgers.outbox.filter(({ status }) => status === "SUCCESS"),
    ({ paymentId }) => paymentId,
  );
  return attemptsByCheckout(ledgers).flatMap(({ checkout, attempts }) => {
    const published = attempts.flatMap(({ payment }) => events.get(payment.paymentId) ?? []).length;
    const expected = checkout.state === "COMPLETED" ? 1 : 0;
    const ids = [checkout.checkoutId, ...attempts.map(({ payment }) => payment.paymentId)];
    return [
      ...stateDoubts(checkout, attempts),
      ...bankDoubts(checkout, attempts, lines),
      ...(published === expected ? [] : [`is ${checkout.state}, and ${published} events tell of a success`]),
    ].map((what) => ({ ids, what }));
  });
}

function stateDoubts({ state, paymentId }: CheckoutRow, attempts: CheckoutAttempt[]): string[] {
  const succeeded = attempts.filter(({ hasSucceeded }) => hasSucceeded);
  const isOpenAtBank = attempts.some(({ payment }) => isUnsettled({ ...payment, operated: false }));
  return [
    ...(succeeded.length > 1 ? [`${succeeded.length} payments of it succeeded`] : []),
    ...(state !== "COMPLETED" && succeeded.length > 0 ? [`is ${state}, and a payment of it succeeded`] : []),
    ...(state === "COMPLETED" && !succeeded.some(({ payment }) => payment.paymentId === paymentId)
      ? ["is COMPLETED by a payment that never succeeded"]
      : []),
    ...(state !== "OPEN" && isOpenAtBank ? [`is ${state} over a payment whose outcome is not known`] : []),
  ];
}

function bankDoubts(checkout: CheckoutRow, attempts: CheckoutAttempt[], lines: Lines): string[] {
  const operation = checkout.transactionType === "PAYMENT" ? "sale" : "authorize";
  const ofPayment = (paymentId: string) => lines.get(paymentId) ?? [];
  const paid = approvals(ofPayment(checkout.paymentId ?? "")).filter(({ uncalled }) => uncalled !== "again");
  const others = attempts
    .filter(({ payment }) => payment.paymentId !== checkout.paymentId)
    .flatMap(({ payment }) => {
      const those = ofPayment(payment.paymentId);
      return approvals(those).filter((approval) => isLive(approval, those));
    });
  return [
    ...(checkout.state === "COMPLETED" && paid.length !== 1
      ? [`is COMPLETED, and the bank approved its payment ${paid.length} times`]
      : []),
    ...paid
      .filter((line) => line.operation !== operation)
      .map((line) => `is a ${checkout.transactionType}, at the bank ${line.operation}`),
    ...(others.length > 0 ? [`the bank holds money of ${others.length} earlier payments of it`] : []),
  ];
}
