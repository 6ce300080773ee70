import type { Found, Ledgers } from "../ledgers.ts";

/**
 * Invariant 43. A bank's name belongs to one refund of a payment: a bank that takes a second refund for a
 * copy gives it the first one's name, and has not paid it.
 */
export function namesAreUsedOnce({ bankCalls }: Ledgers): Found[] {
  const named = bankCalls.filter(
    ({ kind, outcome, name }) =>
      (kind === "refund" || kind === "release") && outcome === "approved" && name !== null && name !== "",
  );
  const uses = Map.groupBy(named, ({ paymentId, accountId, name }) => `${accountId} ${paymentId} ${name}`);
  return [...uses.values()].flatMap((calls) => {
    const refunds = new Set(calls.map(({ movementId }) => movementId));
    const [{ paymentId, name }] = calls as [(typeof calls)[number]];
    return refunds.size > 1
      ? [{ ids: [paymentId], what: `${refunds.size} refunds have the name ${name}` }]
      : [];
  });
}
