import type { AttemptRow, Found, Ledgers, ReceivedWebhook, Rules } from "../ledgers.ts";
import { aboutPayments, eventIdOf, headerOf, isSuccess } from "./received-webhook.ts";

/**
 * Invariant 19. Attempts keep the table's distances, stop at the deadline, and stop with the first success. A
 * duplicate may come of an event that a dispatcher had leased when it, or its database, was disturbed; of an
 * event that it recorded as failed although the receiver believes that it answered; and of a request whose
 * connection broke before any answer.
 */
export function attemptsFollowTheSchedule({ received, outbox, attempts: log, rules }: Ledgers): Found[] {
  const recorded = new Map(log.map((row) => [`${row.eventId} ${row.requestTime}`, row]));
  const committed = new Map(outbox.map(({ eventId, occurredAt }) => [eventId, occurredAt]));
  const events = Map.groupBy(aboutPayments(received), eventIdOf);
  return [...events].flatMap(([eventId, copies]) => {
    const deadline = (committed.get(eventId) ?? 0) + rules.retryWindowMs + TRAVEL_MS + LATE_MS;
    const late = copies.slice(1).filter(({ arrivedAt }) => arrivedAt > deadline);
    const faults = [
      ...distanceFaults(copies, recorded, rules),
      ...(late.length > 0 ? ["was attempted after its deadline"] : []),
    ];
    return faults.map((what) => ({ ids: [eventId], what }));
  });
}

type Recorded = ReadonlyMap<string, AttemptRow>;

/** An excused copy may or may not have been an attempt, so there is a least and a most number of them. */
function distanceFaults(copies: ReceivedWebhook[], recorded: Recorded, rules: Rules): string[] {
  const faults: string[] = [];
  let [least, most] = [0, 0];
  for (const [index, copy] of copies.slice(1).entries()) {
    const before = copies[index]!;
    const gapMs = sentAt(copy) - sentAt(before);
    const row = recorded.get(`${eventIdOf(before)} ${headerOf(before, "x-request-time")}`);
    most++;
    if (mayBeRepeated(before, rules) || wasCutOff(before, row, recorded)) continue;
    least++;
    const delayMs = delayAfter(least, rules);
    if (isSuccess(before) && row?.succeeded !== false) faults.push("came again after a 2xx");
    else if (gapMs < delayMs - TRAVEL_MS)
      faults.push(`copy ${index + 2} came ${gapMs} ms after the one before, not ${delayMs}`);
    else if (!rules.retriesMayBeLate && gapMs > delayAfter(most, rules) * 1.1 + LATE_MS + rules.attemptMaxMs)
      faults.push(`copy ${index + 2} came only after ${gapMs} ms`);
  }
  return faults;
}

/** The signed time, which invariant 15 compares with the arrival: a busy receiver may look at its clock late. */
function sentAt(copy: ReceivedWebhook): number {
  return Number(headerOf(copy, "x-request-time"));
}

function delayAfter(attempt: number, { retryDelaysMs }: Rules): number {
  return retryDelaysMs[Math.min(attempt, retryDelaysMs.length) - 1] ?? 0;
}

/** True if its result may have been lost: it was under way at a disturbance, or had ended just before. */
function mayBeRepeated({ arrivedAt }: ReceivedWebhook, { disturbances, attemptMaxMs }: Rules): boolean {
  const untilMs = arrivedAt + attemptMaxMs + JUST_BEFORE_MS;
  return disturbances.some((each) => each.fromMs <= untilMs && each.untilMs >= arrivedAt - TRAVEL_MS);
}

/** A connection kept from an earlier attempt broke: the request on a new one is the attempt. */
function wasCutOff({ answered }: ReceivedWebhook, row: AttemptRow | undefined, recorded: Recorded): boolean {
  return answered === undefined && row === undefined && recorded.size > 0;
}

/** Requests are signed there and received here: a few milliseconds of travel lie between. */
const TRAVEL_MS = 50;
const LATE_MS = 2_000;
const JUST_BEFORE_MS = 1_000;
