import type { Found, Ledgers } from "../ledgers.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 25. Once everything is healed and has come to rest no payment and no refund is on its way to or from the
 * bank, nobody holds a lease that has ended, and no connection stands in a transaction.
 */
export function nothingIsUnderWay({ payments, refunds, leases, idleTransactions }: Ledgers): Found[] {
  return [
    ...payments
      .filter(isUnsettled)
      .map(({ paymentId, state }) => ({ ids: [paymentId], what: `is ${state} and at the bank yet` })),
    ...refunds
      .filter(({ state }) => !AT_REST.has(state))
      .map(({ refundId, state }) => ({ ids: [refundId], what: `is ${state} and at the bank yet` })),
    ...leases
      .filter(({ expired }) => expired)
      .map(({ table, id }) => ({ ids: [id], what: `a lease in ${table} has ended and is held` })),
    ...idleTransactions.map((name) => ({ ids: [name], what: "stands in a transaction and does nothing" })),
  ];
}

const AT_REST: ReadonlySet<string> = new Set(["PENDING_APPROVAL", "SUCCESS", "FAILED", "REJECTED"]);
