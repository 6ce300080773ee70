/** What the bank says, asked now, of a charge that people want to book. */
import type { InquiryOutcome } from "@holdfast/acquirer";
import type { LeasedPayment } from "../payment/payment-lease.ts";
import type { RecoverDeps } from "./recover-payment.ts";
import { findReversal } from "./reversal-queries.ts";
import { causeOf, inquire, reversalRefundReference } from "./undo-payment.ts";

/** The bank knows the reference, and it is no charge of this amount. One that it has not seen is left to the evidence. */
export function contradictsSuccess(payment: LeasedPayment, inquiry: InquiryOutcome): boolean {
  switch (inquiry.kind) {
    case "approved":
      return !isWholeCharge(payment, inquiry);
    case "declined":
    case "expired":
    case "reversed":
      return true;
    case "not_found":
    case "unknown":
    case "not_sent":
      return false;
    default:
      return inquiry satisfies never;
  }
}

/** Whether the bank has approved what was asked for, no more and no less. */
function isWholeCharge(
  { amount_minor, currency }: Pick<LeasedPayment, "amount_minor" | "currency">,
  inquiry: Extract<InquiryOutcome, { kind: "approved" }>,
): boolean {
  return inquiry.amountMinor === amount_minor && inquiry.currency === currency;
}

/**
 * Asks the bank whether the whole charge of a payment that is being reversed stands, which one call tells: after its
 * settlement only the refund can have given it back.
 */
export async function askWhetherItStands(
  deps: RecoverDeps,
  payment: LeasedPayment,
): Promise<{ stands: boolean; cause: string }> {
  const { payment_id } = payment;
  const known = await findReversal(deps.db, payment_id);
  if (known?.settled_at) {
    const refund = await inquire(deps, reversalRefundReference(payment_id, known.refund_sub_reference));
    return { stands: refund.kind === "declined", cause: `refund_${causeOf(refund)}` };
  }
  const charge = await inquire(deps, payment_id);
  return { stands: charge.kind === "approved" && isWholeCharge(payment, charge), cause: causeOf(charge) };
}
