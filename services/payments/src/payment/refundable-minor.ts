import type { PaymentState } from "./payment.ts";

/** Where a payment's money is, in minor units. */
export type PaymentFunds = {
  state: PaymentState;
  amount_minor: bigint;
  captured_minor: bigint;
  released_minor: bigint;
  reserved_minor: bigint;
  refunded_minor: bigint;
};

/** The amount that can still be refunded; earlier releases count only while nothing was captured. */
export function refundableMinor(payment: PaymentFunds): bigint {
  const { state, amount_minor, captured_minor, released_minor, refunded_minor, reserved_minor } = payment;
  const whole = state === "CAPTURED" ? captured_minor : amount_minor - released_minor;
  return whole - refunded_minor - reserved_minor;
}
