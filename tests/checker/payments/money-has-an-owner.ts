import { approvals, isLive, linesByPayment, paymentIdOf, requestedMinor } from "../bank-lines.ts";
import type { BankLine, Found, Ledgers, PaymentRow } from "../ledgers.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 4. Each valid authorization at the bank has a payment with the same amount, currency,
 * externalTransactionId and authCode. Until the payment is settled, the authorization may be for a part of
 * the amount, and the payment may have no codes yet.
 */
export function moneyHasAnOwner({ payments, bank }: Ledgers): Found[] {
  const owners = new Map(payments.map((payment) => [payment.paymentId, payment]));
  return [...linesByPayment(bank).values()].flatMap((lines) =>
    approvals(lines)
      .filter((approval) => approval.uncalled !== "again" && isLive(approval, lines))
      .flatMap((approval) => {
        const owner = owners.get(paymentIdOf(approval));
        if (!owner)
          return [{ ids: [approval.reference], what: "money stands at the bank without a payment" }];
        if (isUnsettled(owner) ? isAskedFor(owner, approval) : isSame(owner, approval)) return [];
        return [{ ids: [owner.paymentId], what: "its record differs from what stands at the bank" }];
      }),
  );
}

function isSame(owner: PaymentRow, approval: BankLine): boolean {
  const { externalTransactionId, authCode } = approval;
  return (
    owner.amountMinor === approval.amountMinor &&
    owner.currency === approval.currency &&
    owner.externalTransactionId === externalTransactionId &&
    owner.authCode === authCode
  );
}

function isAskedFor(owner: PaymentRow, approval: BankLine): boolean {
  return owner.amountMinor === requestedMinor(approval) && owner.currency === approval.currency;
}
