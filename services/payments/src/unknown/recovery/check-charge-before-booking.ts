/** The bank's present answer about a charge that people want to book. */
import type { Verdict } from "@holdfast/acquirer";
import type { LeasedPayment } from "../../payment/payment-lease.ts";
import type { RecoverDeps } from "./recover-payment.ts";
import type { BankCall } from "../../bank/ledger/bank-call.ts";
import { inquire } from "../../bank/ledger/movement.ts";
import { reversalOf, reversalRefund } from "./reversal.ts";
import { askAboutCharge } from "../../bank/ledger/ask-about.ts";
import { causeOf } from "./undo-payment.ts";

/**
 * True if the bank knows the reference, but not as a charge of this amount. An unseen reference is left to the
 * evidence.
 */
export function contradictsSuccess(payment: LeasedPayment, inquiry: Verdict): boolean {
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

/** True if the bank has approved exactly the requested amount, and its fraud desk releases the goods. */
function isWholeCharge(
  { amount_minor, currency }: Pick<LeasedPayment, "amount_minor" | "currency">,
  inquiry: Extract<Verdict, { kind: "approved" }>,
): boolean {
  const { amountMinor, fraudReview } = inquiry;
  if (fraudReview === "in_review" || fraudReview === "rejected") return false;
  return amountMinor === amount_minor && inquiry.currency === currency;
}

/**
 * Asks the bank whether the whole charge of a payment that is being reversed is still valid. After a
 * settlement only the refund can have given the money back.
 */
export async function askWhetherItStands(
  deps: RecoverDeps,
  payment: LeasedPayment,
  calls: readonly BankCall[],
): Promise<{ stands: boolean; cause: string; shown?: Verdict }> {
  const known = reversalOf(calls);
  if (known?.settled_at) {
    const refund = await inquire(deps, payment, reversalRefund(payment, known), calls);
    const isUnseen = refund.kind === "not_found";
    // After a chargeback no refund is sent, and `refusalOf` has checked that no earlier one can arrive.
    const stands = refund.kind === "declined" || (isUnseen && payment.charged_back_minor > 0n);
    // A bank may keep no record of a refund that it has declined: then the charge has to be there.
    if (stands || !isUnseen || known.refused_at === null)
      return { stands, cause: `refund_${causeOf(refund)}` };
  }
  const charge = await askAboutCharge(deps, payment, []);
  const stands = charge.kind === "approved" && isWholeCharge(payment, charge);
  return { stands, cause: causeOf(charge), shown: charge };
}
