import type { PaymentState } from "./payment.ts";

/** A payment's money, in minor units. */
export type PaymentFunds = {
  state: PaymentState;
  amount_minor: bigint;
  captured_minor: bigint;
  released_minor: bigint;
  reserved_minor: bigint;
  refunded_minor: bigint;
  charged_back_minor: bigint;
};

/**
 * The amount that can still be refunded. A chargeback may exceed the remainder, and may come after pending
 * refunds: then it is zero.
 */
export function refundableMinor(payment: PaymentFunds): bigint {
  const { refunded_minor, reserved_minor, charged_back_minor } = payment;
  const left = wholeMinor(payment) - refunded_minor - reserved_minor - charged_back_minor;
  return left < 0n ? 0n : left;
}

/** The amount that can be given back at all, by anybody; earlier releases count only while nothing was captured. */
export function wholeMinor({ state, amount_minor, captured_minor, released_minor }: PaymentFunds): bigint {
  switch (state) {
    case "CAPTURED":
      return captured_minor;
    case "SUCCESS":
      return amount_minor - released_minor;
    default:
      return 0n;
  }
}

/**
 * True if a refund may be paid in addition to what was paid, is being paid and was charged back.
 * @param sentMinor the amount that the payment's other refunds may be paying at this moment.
 */
export function mayBePaid(payment: PaymentFunds, amountMinor: bigint, sentMinor: bigint): boolean {
  const { refunded_minor, charged_back_minor } = payment;
  return refunded_minor + sentMinor + charged_back_minor + amountMinor <= wholeMinor(payment);
}
