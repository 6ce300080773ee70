/**
 * The promises that a run is judged by, each a pure function over the ledgers of a run, sorted by subject. A further
 * one is a file with its function and a line in its subject's list.
 */
import { CHECKOUT_INVARIANTS } from "./checkouts/checkout-invariants.ts";
import type { Invariant, Ledgers, Violation } from "./ledgers.ts";
import { PAYMENT_INVARIANTS } from "./payments/payment-invariants.ts";
import { REFUND_INVARIANTS } from "./refunds/refund-invariants.ts";
import { WEBHOOK_INVARIANTS } from "./webhooks/webhook-invariants.ts";

/** The promises in the order of their numbers; one number may have a promise in several subjects. */
export const INVARIANTS: readonly Invariant[] = [
  ...PAYMENT_INVARIANTS,
  ...REFUND_INVARIANTS,
  ...WEBHOOK_INVARIANTS,
  ...CHECKOUT_INVARIANTS,
].toSorted((a, b) => a.number - b.number);

/** Every violation, in the invariants' order; a run has to end with none. */
export function checkInvariants(
  ledgers: Ledgers,
  invariants: readonly Invariant[] = INVARIANTS,
): Violation[] {
  return invariants.flatMap(({ number, violations }) =>
    violations(ledgers).map((violation) => ({ invariant: number, ...violation })),
  );
}

/** A line for a person: the promise, the violation, and its place. */
export function describeViolation({ invariant, ids, what }: Violation): string {
  const shown = ids.slice(0, IDS_SHOWN).join(", ");
  const rest = ids.length - IDS_SHOWN;
  return `invariant ${invariant}: ${what} [${shown}${rest > 0 ? ` and ${rest} more` : ""}]`;
}

/** Enough ids to look the violation up; a key that was used twenty times would fill the screen. */
const IDS_SHOWN = 4;
