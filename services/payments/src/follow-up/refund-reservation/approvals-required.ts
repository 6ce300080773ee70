import type { AmountsByCurrency } from "@holdfast/contracts";
import type { PaymentFunds } from "../../payment/refundable-minor.ts";

type Refunded = Pick<PaymentFunds, "reserved_minor" | "refunded_minor" | "released_minor"> & {
  currency: string;
};

/**
 * The number of different people who have to agree to a refund: two if the payment's refunds together exceed
 * the limit, however they are divided. Pending refunds count; rejected and failed ones do not.
 * @param twoAbove amounts by currency, above which two people are required.
 */
export function approvalsRequired(
  { currency, reserved_minor, refunded_minor, released_minor }: Refunded,
  twoAbove: AmountsByCurrency,
): 1 | 2 {
  const limit = twoAbove.get(currency);
  return limit !== undefined && reserved_minor + refunded_minor + released_minor > limit ? 2 : 1;
}
