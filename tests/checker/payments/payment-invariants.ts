import type { Invariant } from "../ledgers.ts";
import { acknowledgedPaymentsCanBeRead } from "./acknowledged-payments-can-be-read.ts";
import { amountsAreExact } from "./amounts-are-exact.ts";
import { attemptsAreCounted } from "./attempts-are-counted.ts";
import { authorizationsExpire } from "./authorizations-expire.ts";
import { failuresAreProven } from "./failures-are-proven.ts";
import { finalStatesHaveOneEvent } from "./final-states-have-one-event.ts";
import { keysHaveOneEffect } from "./keys-have-one-effect.ts";
import { merchantsAreStrangers } from "./merchants-are-strangers.ts";
import { moneyIsAtItsAccount } from "./money-is-at-its-account.ts";
import { moneyHasAnOwner } from "./money-has-an-owner.ts";
import { nothingIsUnderWay } from "./nothing-is-under-way.ts";
import { operationsAreCarriedOut } from "./operations-are-carried-out.ts";
import { operationsAreShown } from "./operations-are-shown.ts";
import { oneLiveAuthorization } from "./one-live-authorization.ts";
import { refusalsLeaveNothing } from "./refusals-leave-nothing.ts";
import { statesFollowTheTable } from "./states-follow-the-table.ts";
import { unansweredLeavesNothingOrOne } from "./unanswered-leaves-nothing-or-one.ts";
import { versionsRise } from "./versions-rise.ts";

/** What is promised of payments, and of everything that is asked and answered. */
export const PAYMENT_INVARIANTS: readonly Invariant[] = (
  [
    [1, "what was acknowledged can be read, as it was or further on", acknowledgedPaymentsCanBeRead],
    [
      2,
      "what was not answered ends as nothing anywhere or as exactly one record",
      unansweredLeavesNothingOrOne,
    ],
    [3, "one authorization at most, live exactly where the payment stands", oneLiveAuthorization],
    [4, "no money at the bank without its payment", moneyHasAnOwner],
    [5, "FAILED is proven, never guessed", failuresAreProven],
    [6, "the amount is the same to the last digit everywhere", amountsAreExact],
    [7, "an Idempotency-Key has one effect and one answer", keysHaveOneEffect],
    [8, "states follow the table, for every reader", statesFollowTheTable],
    [20, "what is another merchant's looks like what does not exist", merchantsAreStrangers],
    [23, "a final state has one event, committed with it", finalStatesHaveOneEvent],
    [25, "nothing is under way once everything is at rest", nothingIsUnderWay],
    [27, "what was refused leaves nothing, here and at the bank", refusalsLeaveNothing],
    [35, "an operation that was begun is carried out once, or declined by the bank", operationsAreCarriedOut],
    [36, "the end of the latest operation is shown, and is the bank's", operationsAreShown],
    [37, "events tell the version and the date of their state, and both rise", versionsRise],
    [38, "what is unresolved has its attempts counted", attemptsAreCounted],
    [39, "an authorization that is not captured expires", authorizationsExpire],
    [40, "money moves at the account of its payment alone, and no refund is undone", moneyIsAtItsAccount],
  ] as const
).map(([number, promise, violations]) => ({ number, subject: "payments", promise, violations }));
