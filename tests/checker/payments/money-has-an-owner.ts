import { approvals, isLive, linesByPayment, paymentIdOf } from "../bank-lines.ts";
import type { BankLine, Found, Ledgers, PaymentRow } from "../ledgers.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 4. Each authorization that stands at the bank has a payment with the same amount, currency,
 * externalTransactionId and authCode; the last two from the moment on at which the payment is settled.
 */
export function moneyHasAnOwner({ payments, bank }: Ledgers): Found[] {
  const owners = new Map(payments.map((payment) => [payment.paymentId, payment]));
  return [...linesByPayment(bank).values()].flatMap((lines) =>
    approvals(lines)
      .filter((approval) => isLive(approval, lines))
      .flatMap((approval) => {
        const owner = owners.get(paymentIdOf(approval));
        if (!owner)
          return [{ ids: [approval.reference], what: "money stands at the bank without a payment" }];
        if (isUnsettled(owner) ? isSameAmount(owner, approval) : isSame(owner, approval)) return [];
        return [{ ids: [owner.paymentId], what: "its record differs from what stands at the bank" }];
      }),
  );
}

function isSame(owner: PaymentRow, approval: BankLine): boolean {
  const { externalTransactionId, authCode } = approval;
  return (
    isSameAmount(owner, approval) &&
    owner.externalTransactionId === externalTransactionId &&
    owner.authCode === authCode
  );
}

function isSameAmount(owner: PaymentRow, { amountMinor, currency }: BankLine): boolean {
  return owner.amountMinor === amountMinor && owner.currency === currency;
}
