import type { Found, Ledgers, ReceivedWebhook, Rules } from "../ledgers.ts";
import { eventIdOf, headerOf, isSuccess, tellingOfPayments } from "./received-webhook.ts";

/**
 * Invariant 19. Attempts keep the table's distances, stop at the deadline, and stop with the first success; what a
 * dispatcher had under lease when it, or its database, was not well may come once more, and so may what it knows to have
 * failed, though the receiver believes to have answered it.
 */
export function attemptsFollowTheSchedule({ received, outbox, attempts: recorded, rules }: Ledgers): Found[] {
  const failed = new Set(
    recorded
      .filter(({ succeeded }) => !succeeded)
      .map(({ eventId, requestTime }) => `${eventId} ${requestTime}`),
  );
  const isTaken = (attempt: ReceivedWebhook) =>
    isSuccess(attempt) && !failed.has(`${eventIdOf(attempt)} ${headerOf(attempt, "x-request-time")}`);
  const committed = new Map(outbox.map(({ eventId, occurredAt }) => [eventId, occurredAt]));
  const events = Map.groupBy(tellingOfPayments(received), eventIdOf);
  return [...events].flatMap(([eventId, attempts]) => {
    const deadline = (committed.get(eventId) ?? 0) + rules.retryWindowMs + TRAVEL_MS + LATE_MS;
    const late = attempts.slice(1).filter(({ arrivedAt }) => arrivedAt > deadline);
    const faults = [
      ...distanceFaults(attempts, isTaken, rules),
      ...(late.length > 0 ? ["was attempted after its deadline"] : []),
    ];
    return faults.map((what) => ({ ids: [eventId], what }));
  });
}

/** Whether an attempt that is excused was counted is not known here, so there is a least and a most that were. */
function distanceFaults(
  attempts: ReceivedWebhook[],
  isTaken: (attempt: ReceivedWebhook) => boolean,
  rules: Rules,
): string[] {
  const faults: string[] = [];
  let [least, most] = [0, 0];
  for (const [index, attempt] of attempts.slice(1).entries()) {
    const before = attempts[index]!;
    const gapMs = attempt.arrivedAt - before.arrivedAt;
    most++;
    if (mayBeRepeated(before, rules)) continue;
    least++;
    const number = index + 2;
    const delayMs = delayAfter(least, rules);
    if (isTaken(before)) faults.push("came again after a 2xx");
    else if (gapMs < delayMs - TRAVEL_MS)
      faults.push(`attempt ${number} came ${gapMs} ms after the one before, not ${delayMs}`);
    else if (!rules.retriesMayBeLate && gapMs > delayAfter(most, rules) * 1.1 + LATE_MS + rules.attemptMaxMs)
      faults.push(`attempt ${number} came only after ${gapMs} ms`);
  }
  return faults;
}

function delayAfter(attempt: number, { retryDelaysMs }: Rules): number {
  return retryDelaysMs[Math.min(attempt, retryDelaysMs.length) - 1] ?? 0;
}

/** Whether its result may have been lost: it was under way at a disturbance, or had ended just before. */
function mayBeRepeated({ arrivedAt }: ReceivedWebhook, { disturbances, attemptMaxMs }: Rules): boolean {
  const untilMs = arrivedAt + attemptMaxMs + JUST_BEFORE_MS;
  return disturbances.some((each) => each.fromMs <= untilMs && each.untilMs >= arrivedAt - TRAVEL_MS);
}

/** Arrivals are measured here, ends of attempts there: a few milliseconds of travel lie between. */
const TRAVEL_MS = 50;
const LATE_MS = 2_000;
const JUST_BEFORE_MS = 1_000;
