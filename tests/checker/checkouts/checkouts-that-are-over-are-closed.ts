import type { Found, Ledgers } from "../ledgers.ts";

/**
 * Invariant 33. Once every outcome is known, no expired checkout is open, even if it was never visited. If
 * one is open because its payment is under way, that is the payment's fault (invariants 2 and 31).
 */
export function checkoutsThatAreOverAreClosed({ checkouts }: Ledgers): Found[] {
  return checkouts
    .filter(({ state, overdue }) => state === "OPEN" && overdue)
    .map(({ checkoutId }) => ({ ids: [checkoutId], what: "is OPEN although its time is over" }));
}
