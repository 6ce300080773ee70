import { isRefund, paymentIdOf } from "../bank-lines.ts";
import type { Found, Ledgers } from "../ledgers.ts";

/**
 * Invariant 41. The bank's refunds and chargebacks together do not exceed the payment, except for a
 * chargeback of refunded money that the bank itself reported, as the case then says. And the payment's row
 * counts its cases.
 */
export function buyersArePaidOnce({ payments, chargebacks, bank }: Ledgers): Found[] {
  const ofPayment = Map.groupBy(chargebacks, ({ paymentId }) => paymentId);
  const lines = Map.groupBy(
    bank.filter(({ operation, outcome }) => isRefund(operation) && outcome === "approved"),
    paymentIdOf,
  );
  return payments.flatMap(({ paymentId, state, amountMinor, capturedMinor, chargedBackMinor }): Found[] => {
    const cases = ofPayment.get(paymentId) ?? [];
    const counted = sum(cases, ({ countedMinor }) => countedMinor);
    const ids = [paymentId];
    if (counted !== chargedBackMinor)
      return [{ ids, what: `counts ${chargedBackMinor} charged back, and its cases ${counted}` }];
    if (counted === 0n) return [];
    const refunded = sum(lines.get(paymentId) ?? [], (line) => line.amountMinor);
    const excess = sum(cases, ({ excessMinor, countedMinor }) =>
      excessMinor < countedMinor ? excessMinor : countedMinor,
    );
    const whole = state === "CAPTURED" ? capturedMinor : amountMinor;
    if (refunded + counted <= whole + excess) return [];
    return [
      { ids, what: `${refunded} refunded and ${counted} charged back of ${whole}, ${excess} of it said` },
    ];
  });
}

function sum<Row>(rows: readonly Row[], amountOf: (row: Row) => bigint): bigint {
  return rows.reduce((total, row) => total + amountOf(row), 0n);
}
