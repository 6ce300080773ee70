import { attemptsByCheckout, type CheckoutAttempt } from "./checkout-attempts.ts";
import type { CheckoutRow, Found, Ledgers } from "../ledgers.ts";
import { isUnsettled } from "../payments/payment-states.ts";

/**
 * Invariant 32. The payments of a checkout are consecutive attempts, no more than are allowed. Each began in
 * time and after the previous one had failed, for the checkout's merchant, order and amount, and each belongs
 * to a form that a buyer sent.
 */
export function attemptsAreAllowed(ledgers: Ledgers): Found[] {
  const forms = new Set(
    ledgers.visits
      .filter(({ action }) => action === "pay")
      .map(({ checkoutId, paymentId }) => `${checkoutId} ${paymentId}`),
  );
  return attemptsByCheckout(ledgers).flatMap(({ checkout, attempts }) => [
    ...rowDoubts(checkout, attempts),
    ...attempts.flatMap((attempt) => {
      const { paymentId } = attempt.payment;
      const isSent = forms.has(`${checkout.checkoutId} ${paymentId}`);
      return [...attemptDoubts(checkout, attempt), ...(isSent ? [] : ["no form was sent for it"])].map(
        (what) => ({ ids: [paymentId, checkout.checkoutId], what }),
      );
    }),
  ]);
}

function rowDoubts({ checkoutId, paymentId, attempts: count }: CheckoutRow, attempts: CheckoutAttempt[]) {
  const numbers = attempts.map(({ attempt }) => attempt);
  const earlier = attempts.slice(0, -1).filter(({ payment }) => isUnsettled(payment));
  const doubts = [
    ...(numbers.length === count && numbers.every((number, index) => number === index + 1)
      ? []
      : [`counts ${count} attempts, and has those of numbers ${numbers.join()}`]),
    ...((attempts.at(-1)?.payment.paymentId ?? null) === paymentId ? [] : ["does not name its last payment"]),
    ...(numbers.length > ATTEMPTS_MAX ? [`was tried ${numbers.length} times`] : []),
    ...(earlier.length > 0 ? ["was tried again while a payment was under way"] : []),
  ];
  return doubts.map((what) => ({ ids: [checkoutId], what }));
}

/** The payments service's default (CHECKOUT_ATTEMPTS_MAX). */
const ATTEMPTS_MAX = 5;

function attemptDoubts(checkout: CheckoutRow, { payment, late }: CheckoutAttempt): string[] {
  return [
    ...(late ? ["was begun when its checkout's time was over"] : []),
    ...(payment.merchantId === checkout.merchantId ? [] : ["is another merchant's than its checkout"]),
    ...(payment.orderId === checkout.orderId ? [] : ["is of another order than its checkout"]),
    ...(payment.amountMinor === checkout.amountMinor && payment.currency === checkout.currency
      ? []
      : [`is ${payment.amountMinor} ${payment.currency} of ${checkout.amountMinor} ${checkout.currency}`]),
  ];
}
