import type { AmountsByCurrency } from "@holdfast/contracts";
import type { PaymentFunds } from "../../payment/refundable-minor.ts";

type Refunded = Pick<PaymentFunds, "reserved_minor" | "refunded_minor" | "released_minor"> & {
  currency: string;
};

/**
 * The number of different people who have to agree to a refund: two where the payment's refunds exceed the limit together,
 * however many parts they come in. Those that wait count, and those that were rejected or have failed do not.
 * @param twoAbove amounts, by currency, above which two have to.
 */
export function approvalsRequired(
  { currency, reserved_minor, refunded_minor, released_minor }: Refunded,
  twoAbove: AmountsByCurrency,
): 1 | 2 {
  const limit = twoAbove.get(currency);
  return limit !== undefined && reserved_minor + refunded_minor + released_minor > limit ? 2 : 1;
}
