import type { Invariant } from "../ledgers.ts";
import { attemptsAreAllowed } from "./attempts-are-allowed.ts";
import { checkoutsArePaidOnce } from "./checkouts-are-paid-once.ts";
import { checkoutsAreShownAsTheyStand } from "./checkouts-are-shown-as-they-stand.ts";
import { checkoutsThatAreOverAreClosed } from "./checkouts-that-are-over-are-closed.ts";

/** What is promised of hosted checkouts (ADR 0019). */
export const CHECKOUT_INVARIANTS: readonly Invariant[] = (
  [
    [31, "a checkout is paid once at most, and COMPLETED exactly where it was", checkoutsArePaidOnce],
    [
      32,
      "a checkout takes one payment at a time, in time, on its own terms, by a form that was sent",
      attemptsAreAllowed,
    ],
    [33, "a checkout that is over is closed", checkoutsThatAreOverAreClosed],
    [34, "merchant and buyer are shown a checkout as it stands", checkoutsAreShownAsTheyStand],
  ] as const
).map(([number, promise, violations]) => ({ number, subject: "checkouts", promise, violations }));
