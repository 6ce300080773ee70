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
import { movementsAreCalledFor } from "./movements-are-called-for.ts";
import { nothingIsUnderWay } from "./nothing-is-under-way.ts";
import { operationsAreCarriedOut } from "./operations-are-carried-out.ts";
import { operationsAreShown } from "./operations-are-shown.ts";
import { oneLiveAuthorization } from "./one-live-authorization.ts";
import { refusalsLeaveNothing } from "./refusals-leave-nothing.ts";
import { secondSuccessesAreGivenBack } from "./second-successes-are-given-back.ts";
import { statesFollowTheTable } from "./states-follow-the-table.ts";
import { unansweredLeavesNothingOrOne } from "./unanswered-leaves-nothing-or-one.ts";
import { versionsRise } from "./versions-rise.ts";

/** The promises about payments, and about all requests and answers. */
export const PAYMENT_INVARIANTS: readonly Invariant[] = (
  [
    [
      1,
      "every acknowledged payment or refund can be read later, in the same state or a later one",
      acknowledgedPaymentsCanBeRead,
    ],
    [
      2,
      "a request without an answer leaves nothing anywhere, or exactly one record",
      unansweredLeavesNothingOrOne,
    ],
    [
      3,
      "a payment has at most one authorization, which is live exactly when the payment is in effect",
      oneLiveAuthorization,
    ],
    [4, "the bank has no money without a payment of ours", moneyHasAnOwner],
    [5, "a payment is FAILED only if that is proven", failuresAreProven],
    [6, "a payment's amount is exactly the same everywhere", amountsAreExact],
    [7, "an Idempotency-Key has one effect and one answer", keysHaveOneEffect],
    [8, "a payment's states follow the table, for every reader", statesFollowTheTable],
    [20, "another merchant's records look as if they did not exist", merchantsAreStrangers],
    [23, "each final state has one event, committed in the same transaction", finalStatesHaveOneEvent],
    [25, "at the end nothing is under way any more", nothingIsUnderWay],
    [27, "a refused request leaves nothing, neither here nor at the bank", refusalsLeaveNothing],
    [35, "a started operation is carried out once, or declined by the bank", operationsAreCarriedOut],
    [
      36,
      "a payment shows the outcome of its latest operation, and it is the bank's outcome",
      operationsAreShown,
    ],
    [37, "events have the version and the date of their state, and both increase", versionsRise],
    [38, "attempts to settle an unknown outcome are counted", attemptsAreCounted],
    [39, "an authorization that is not captured expires", authorizationsExpire],
    [
      42,
      "every movement at a bank was sent by a call that is kept, and every approval that is kept is at the bank",
      movementsAreCalledFor,
    ],
    [45, "what a bank carries out a second time by itself is given back", secondSuccessesAreGivenBack],
    [40, "money moves only at the payment's account, and no refund is voided", moneyIsAtItsAccount],
  ] as const
).map(([number, promise, violations]) => ({ number, subject: "payments", promise, violations }));
