import type { Invariant } from "../ledgers.ts";
import { attemptsAreAllowed } from "./attempts-are-allowed.ts";
import { checkoutsArePaidOnce } from "./checkouts-are-paid-once.ts";
import { checkoutsAreShownAsTheyStand } from "./checkouts-are-shown-as-they-stand.ts";
import { checkoutsThatAreOverAreClosed } from "./checkouts-that-are-over-are-closed.ts";

/** The promises of hosted checkouts (docs/adr/0016). */
export const CHECKOUT_INVARIANTS: readonly Invariant[] = (
  [
    [31, "a checkout is paid at most once, and is COMPLETED exactly when it was paid", checkoutsArePaidOnce],
    [
      32,
      "a checkout has one payment at a time, in time, with its own terms, from a form that was sent",
      attemptsAreAllowed,
    ],
    [33, "a checkout whose time is over is closed", checkoutsThatAreOverAreClosed],
    [34, "merchant and buyer see the current state of a checkout", checkoutsAreShownAsTheyStand],
  ] as const
).map(([number, promise, violations]) => ({ number, subject: "checkouts", promise, violations }));
