/**
 * The promises of `reliability.md`, section 1, each a pure function over the ledgers of a run. A further one is a file
 * with its function and a line in this list. From 31 on are those of hosted checkouts, which ADR 0019 gives.
 */
import { acknowledgedPaymentsCanBeRead } from "./acknowledged-payments-can-be-read.ts";
import { amountsAreExact } from "./amounts-are-exact.ts";
import { attemptsAreAllowed } from "./attempts-are-allowed.ts";
import { checkoutsArePaidOnce } from "./checkouts-are-paid-once.ts";
import { checkoutsAreShownAsTheyStand } from "./checkouts-are-shown-as-they-stand.ts";
import { checkoutsThatAreOverAreClosed } from "./checkouts-that-are-over-are-closed.ts";
import { failuresAreProven } from "./failures-are-proven.ts";
import { finalStatesHaveOneEvent } from "./final-states-have-one-event.ts";
import { keysHaveOneEffect } from "./keys-have-one-effect.ts";
import type { Invariant, Ledgers, Violation } from "./ledgers.ts";
import { moneyHasAnOwner } from "./money-has-an-owner.ts";
import { oneLiveAuthorization } from "./one-live-authorization.ts";
import { statesFollowTheTable } from "./states-follow-the-table.ts";
import { unansweredLeavesNothingOrOne } from "./unanswered-leaves-nothing-or-one.ts";

export const INVARIANTS: readonly Invariant[] = [
  {
    number: 1,
    promise: "what was acknowledged can be read, as it was or further on",
    violations: acknowledgedPaymentsCanBeRead,
  },
  {
    number: 2,
    promise: "what was not answered ends as nothing anywhere or as exactly one record",
    violations: unansweredLeavesNothingOrOne,
  },
  {
    number: 3,
    promise: "one authorization at most, live exactly where the payment stands",
    violations: oneLiveAuthorization,
  },
  { number: 4, promise: "no money at the bank without its payment", violations: moneyHasAnOwner },
  { number: 5, promise: "FAILED is proven, never guessed", violations: failuresAreProven },
  {
    number: 6,
    promise: "the amount is the same to the last digit everywhere",
    violations: amountsAreExact,
  },
  {
    number: 7,
    promise: "an Idempotency-Key has one effect and one answer",
    violations: keysHaveOneEffect,
  },
  { number: 8, promise: "states follow the table, for every reader", violations: statesFollowTheTable },
  {
    number: 23,
    promise: "a final state has one event, committed with it",
    violations: finalStatesHaveOneEvent,
  },
  {
    number: 31,
    promise: "a checkout is paid once at most, and COMPLETED exactly where it was",
    violations: checkoutsArePaidOnce,
  },
  {
    number: 32,
    promise: "a checkout takes one payment at a time, in time, on its own terms, by a form that was sent",
    violations: attemptsAreAllowed,
  },
  { number: 33, promise: "a checkout that is over is closed", violations: checkoutsThatAreOverAreClosed },
  {
    number: 34,
    promise: "merchant and buyer are told of a checkout how it stands",
    violations: checkoutsAreShownAsTheyStand,
  },
];

/** Everything that is broken, in the invariants' order; empty is what a run has to end with. */
export function checkInvariants(
  ledgers: Ledgers,
  invariants: readonly Invariant[] = INVARIANTS,
): Violation[] {
  return invariants.flatMap(({ number, violations }) =>
    violations(ledgers).map((violation) => ({ invariant: number, ...violation })),
  );
}

/** A line for a person: which promise, what is wrong, and where. */
export function describeViolation({ invariant, ids, what }: Violation): string {
  const shown = ids.slice(0, IDS_SHOWN).join(", ");
  const rest = ids.length - IDS_SHOWN;
  return `invariant ${invariant}: ${what} [${shown}${rest > 0 ? ` and ${rest} more` : ""}]`;
}

/** Enough to look it up by; a key that was used twenty times would fill the screen. */
const IDS_SHOWN = 4;
