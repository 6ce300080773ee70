import { isPayment, linesByPayment } from "../bank-lines.ts";
import type { BankCallRow, BankLine, Found, Ledgers } from "../ledgers.ts";

/**
 * Invariant 40. A payment's money at a bank is at the account that the payment names, which belongs to its
 * merchant's routes. No other bank was ever asked to move money for it, even if its own could not be reached,
 * except a bank that declined it before: that call says so and is followed by a call at the payment's
 * account. And no bank voids a refund.
 */
export function moneyIsAtItsAccount({ payments, bank, bankCalls, rules }: Ledgers): Found[] {
  const lines = linesByPayment(bank);
  const calls = Map.groupBy(bankCalls.filter(isCharge), ({ paymentId }) => paymentId);
  return [
    ...payments.flatMap(({ paymentId, merchantId, accountId }) => {
      const places = rules.places?.[merchantId];
      const elsewhere = (lines.get(paymentId) ?? []).filter(
        (line) =>
          line.accountId !== accountId &&
          !(isDeclinedCharge(line) && wasTriedAgain(calls.get(paymentId) ?? [], line.accountId, accountId)),
      );
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

const isCharge = ({ kind }: BankCallRow) => kind === "authorize" || kind === "sale";

const isDeclinedCharge = ({ operation, outcome }: BankLine) => isPayment(operation) && outcome === "declined";

function wasTriedAgain(calls: readonly BankCallRow[], before: string, after: string): boolean {
  const declined = calls.find((call) => call.accountId === before && call.outcome === "declined");
  return (
    declined !== undefined && calls.some((call) => call.accountId === after && call.number > declined.number)
  );
}
