import type { Invariant } from "../ledgers.ts";
import { anEndIsOneEvent } from "./an-end-is-one-event.ts";
import { attemptsFollowTheSchedule } from "./attempts-follow-the-schedule.ts";
import { bothSidesHaveTheSameEvents } from "./both-sides-have-the-same-events.ts";
import { everyEndArrives } from "./every-end-arrives.ts";
import { onlyCommittedEndsAreTold } from "./only-committed-ends-are-told.ts";
import { webhooksAreSignedFreshly } from "./webhooks-are-signed-freshly.ts";
import { webhooksReachTheirMerchantOnly } from "./webhooks-reach-their-merchant-only.ts";
import { webhooksSayWhatAGetSays } from "./webhooks-say-what-a-get-says.ts";

/** What is promised of webhooks. */
export const WEBHOOK_INVARIANTS: readonly Invariant[] = (
  [
    [14, "every final state is delivered", everyEndArrives],
    [15, "every attempt is signed freshly, under its merchant's secret", webhooksAreSignedFreshly],
    [16, "a final state is one event, and an event the same bytes on every attempt", anEndIsOneEvent],
    [17, "a webhook says what a GET at that state says", webhooksSayWhatAGetSays],
    [18, "only final states that were committed are delivered", onlyCommittedEndsAreTold],
    [19, "attempts follow the schedule, and stop with a success", attemptsFollowTheSchedule],
    [20, "a merchant's webhooks come to that merchant only", webhooksReachTheirMerchantOnly],
    [24, "owners and dispatcher have the same events", bothSidesHaveTheSameEvents],
  ] as const
).map(([number, promise, violations]) => ({ number, subject: "webhooks", promise, violations }));
