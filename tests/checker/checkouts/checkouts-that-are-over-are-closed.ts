import type { Found, Ledgers } from "../ledgers.ts";

/**
 * Invariant 33. Once every outcome is known, no checkout is open whose time is over, even if it was never visited. One
 * that is open because a payment of it is under way is that payment's fault (invariants 2 and 31).
 */
export function checkoutsThatAreOverAreClosed({ checkouts }: Ledgers): Found[] {
  return checkouts
    .filter(({ state, overdue }) => state === "OPEN" && overdue)
    .map(({ checkoutId }) => ({ ids: [checkoutId], what: "is OPEN although its time is over" }));
}
