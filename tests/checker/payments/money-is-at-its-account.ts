import { linesByPayment } from "../bank-lines.ts";
import type { Found, Ledgers } from "../ledgers.ts";

/**
 * Invariant 40. A payment's money at a bank is at the account that the payment names, which is one of those that its
 * merchant's routes lead to: no other bank was ever asked to move money for it, even if its own could not be reached.
 * And no bank voids a refund.
 */
export function moneyIsAtItsAccount({ payments, bank, rules }: Ledgers): Found[] {
  const lines = linesByPayment(bank);
  return [
    ...payments.flatMap(({ paymentId, merchantId, accountId }) => {
      const places = rules.places?.[merchantId];
      const elsewhere = (lines.get(paymentId) ?? []).filter((line) => line.accountId !== accountId);
      return [
        ...(places === undefined || places.includes(accountId)
          ? []
          : [{ ids: [paymentId], what: `is at account ${accountId}, where no route leads` }]),
        ...elsewhere.map((line) => ({
          ids: [paymentId],
          what: `is at account ${accountId}, and ${line.accountId} has ${line.operation} ${line.outcome}`,
        })),
      ];
    }),
    ...bank
      .filter(({ operation, outcome }) => operation === "void_of_refund" && outcome === "approved")
      .map(({ reference, parentReference }) => ({
        ids: [parentReference ?? reference],
        what: "its refund was undone",
      })),
  ];
}
