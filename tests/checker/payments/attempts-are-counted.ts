import type { Found, Ledgers } from "../ledgers.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 38. A payment or refund that is unresolved once everything is idle is on the operators' list,
 * which begins with the first attempt: an attempt that ends in an exception is counted like any other.
 */
export function attemptsAreCounted({ payments, refunds }: Ledgers): Found[] {
  const unresolved = [
    ...payments.filter(isUnsettled).map(({ paymentId: id, state, attempts }) => ({ id, state, attempts })),
    ...refunds
      .filter(({ state }) => UNRESOLVED.has(state))
      .map(({ refundId: id, state, attempts }) => ({ id, state, attempts })),
  ];
  return unresolved
    .filter(({ attempts }) => attempts === 0)
    .map(({ id, state }) => ({ ids: [id], what: `is ${state}, and no attempt to settle it was counted` }));
}

const UNRESOLVED: ReadonlySet<string> = new Set(["EXECUTING", "SETTLING", "FAILING", "REJECTING"]);
