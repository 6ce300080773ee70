import type { Found, Ledgers } from "../ledgers.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 25. Once everything is healed and idle, no payment and no refund is on its way to or from the
 * bank, no lease has ended without being released, and no connection is left in a transaction.
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
      .map(({ table, id }) => ({ ids: [id], what: `a lease in ${table} has ended and was not given back` })),
    ...idleTransactions.map((name) => ({ ids: [name], what: "stands in a transaction and does nothing" })),
  ];
}

const AT_REST: ReadonlySet<string> = new Set(["PENDING_APPROVAL", "SUCCESS", "FAILED", "REJECTED"]);
