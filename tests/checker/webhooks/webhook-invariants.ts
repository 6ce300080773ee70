import type { Invariant } from "../ledgers.ts";
import { anEndIsOneEvent } from "./an-end-is-one-event.ts";
import { attemptsFollowTheSchedule } from "./attempts-follow-the-schedule.ts";
import { bothSidesHaveTheSameEvents } from "./both-sides-have-the-same-events.ts";
import { everyEndArrives } from "./every-end-arrives.ts";
import { onlyCommittedEndsAreDelivered } from "./only-committed-ends-are-delivered.ts";
import { webhooksAreSignedFreshly } from "./webhooks-are-signed-freshly.ts";
import { webhooksReachTheirMerchantOnly } from "./webhooks-reach-their-merchant-only.ts";
import { webhooksSayWhatAGetSays } from "./webhooks-say-what-a-get-says.ts";

/** The promises about webhooks. */
export const WEBHOOK_INVARIANTS: readonly Invariant[] = (
  [
    [14, "every final state is delivered", everyEndArrives],
    [15, "every attempt has its own signature, made with its merchant's secret", webhooksAreSignedFreshly],
    [16, "a final state has one event, and every attempt sends the same bytes", anEndIsOneEvent],
    [17, "a webhook has the same content as a GET in that state", webhooksSayWhatAGetSays],
    [18, "only committed final states are delivered", onlyCommittedEndsAreDelivered],
    [19, "attempts follow the schedule, and end with a success", attemptsFollowTheSchedule],
    [20, "a merchant's webhooks reach only that merchant", webhooksReachTheirMerchantOnly],
    [
      24,
      "the dispatcher has the same events as the services that published them",
      bothSidesHaveTheSameEvents,
    ],
  ] as const
).map(([number, promise, violations]) => ({ number, subject: "webhooks", promise, violations }));
