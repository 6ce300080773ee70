import type { OutboxRow, ReceivedWebhook } from "../ledgers.ts";
import type { Planted } from "./planted.ts";
import { COMMITTED_AT, idOf, merchantId, type TestLedgers } from "./test-ledgers.ts";
import { arrive } from "./test-webhooks.ts";

/**
 * The event of the run's keyed payment, which arrived at the third attempt; all other events arrived at the
 * first.
 */
const event = `event-1-${idOf(1)}`;
const other = `event-2-${idOf(2)}`;
const otherPath = "/webhooks/b";

/** Violations of the promises about webhooks, planted in a run in which everything is right. */
export const PLANTED_IN_WEBHOOKS: Record<number, Planted[]> = {
  14: [
    ["was neither delivered nor failed", event, (run) => void (run.received = without(run, event))],
    ["was neither delivered nor failed", event, (run) => last(run, event, { answered: 503 })],
    [
      "failed after 1 attempts, not 3",
      other,
      (run) => [last(run, other, { answered: 302 }), outcome(run, other, "failed")],
    ],
  ],
  15: [
    ["its signature is wrong", other, (run) => again(run, other, { secret: "whs_other" })],
    ["its signature is wrong", other, (run) => last(run, other, { body: Buffer.from("{}") })],
    ["its signature is wrong", other, (run) => last(run, other, { path: "/nobody" })],
    [
      "was signed 30000 ms before it arrived",
      other,
      (run) => again(run, other, { requestTime: COMMITTED_AT - 29_980 }),
    ],
    [
      "was signed 30000 ms before it arrived",
      other,
      (run) => [
        again(run, other, { requestTime: COMMITTED_AT - 29_980 }),
        stop(run, COMMITTED_AT - 29_000, COMMITTED_AT - 20_000),
      ],
    ],
    ['its x-request-time is ""', other, (run) => last(run, other, { headers: { "x-event-id": other } })],
  ],
  16: [
    ["came with 2 bodies", event, (run) => again(run, event, { body: Buffer.from("{}") })],
    [
      "came with another body than was committed",
      other,
      (run) => last(run, other, { body: Buffer.from("{}") }),
    ],
    ["has 2 event ids", "event-x", (run) => again(run, other, { eventId: "event-x" })],
    ["has 2 event ids", "event-x", (run) => run.outbox.push({ ...rowOf(run, other), eventId: "event-x" })],
  ],
  17: [
    ["its orderId is not the payment's", event, (run) => tell(run, event, { orderId: "b" })],
    ["its amount is not the payment's", event, (run) => tell(run, event, { amount: "12.5" })],
    [
      "its transactionType is not the payment's",
      event,
      (run) => tell(run, event, { transactionType: undefined }),
    ],
    [
      "its cardSubType is not the payment's",
      event,
      (run) => Object.assign(run.payment(idOf(1)), { cardSubType: "GOLD" }),
    ],
  ],
  18: [
    ["tells of CAPTURED", other, (run) => tell(run, other, { status: "CAPTURED" })],
    ["was never committed", "event-x", (run) => again(run, other, { eventId: "event-x" })],
    ["came before its commit", other, (run) => last(run, other, { arrivedAt: COMMITTED_AT - 1 })],
  ],
  19: [
    ["came again after a 2xx", other, (run) => again(run, other, { afterMs: 31_000 })],
    ["copy 2 came 29000 ms after the one before, not 30000", event, (run) => move(run, event, 1, 29_020)],
    ["copy 2 came only after 50000 ms", event, (run) => move(run, event, 1, 50_020)],
    ["copy 3 came 59900 ms after the one before, not 60000", event, (run) => move(run, event, 2, 90_000)],
    ["was attempted after its deadline", event, (run) => move(run, event, 2, 103_000)],
    [
      "came again after a 2xx",
      other,
      (run) => [
        again(run, other, { afterMs: 31_000 }),
        run.attempts.push({ eventId: other, requestTime: `${COMMITTED_AT + 15}`, succeeded: true }),
        disturb(run, COMMITTED_AT + 20_000, COMMITTED_AT + 30_000),
      ],
    ],
  ],
  20: [
    [
      "came to 00000000-0000-7000-8000-000000000009",
      other,
      (run) => {
        run.rules.receivers.push({ merchantId: idOf(9), path: otherPath, secrets: ["whs_secret"] });
        last(run, other, { path: otherPath });
      },
    ],
    ["came to nobody's path", other, (run) => last(run, other, { path: otherPath })],
  ],
  24: [
    ["is not confirmed", event, (run) => Object.assign(rowOf(run, event), { confirmed: false })],
    ["the dispatcher lacks it", event, (run) => void run.acceptedEvents.shift()],
    [
      "the dispatcher has it, no owner does",
      "event-x",
      (run) => run.acceptedEvents.push({ eventId: "event-x", merchantId, outcome: null }),
    ],
  ],
};

/** Runs that look like a violation but are not; planted when everything was delivered. */
export const ALLOWED_IN_WEBHOOKS: [what: string, plant: (run: TestLedgers) => void][] = [
  [
    "an attempt that was signed before its dispatcher stood still for as long",
    (run) => {
      again(run, other, { requestTime: COMMITTED_AT - 29_980 });
      disturb(run, COMMITTED_AT - 29_900, COMMITTED_AT + 500);
      stop(run, COMMITTED_AT - 29_900, COMMITTED_AT - 1_000);
    },
  ],
  [
    "a second copy of what was under way when the dispatcher was killed",
    (run) => {
      again(run, other, { afterMs: 900 });
      disturb(run, COMMITTED_AT + 30, COMMITTED_AT + 500);
    },
  ],
  [
    "a second copy of what was answered too late for the dispatcher",
    (run) => {
      again(run, other, { afterMs: 31_000 });
      run.attempts.push({ eventId: other, requestTime: `${COMMITTED_AT + 15}`, succeeded: false });
    },
  ],
  [
    "a request that went out again because a connection had broken",
    (run) => {
      const [first] = attemptsOf(run, other);
      arrive(run, rowOf(run, other), { afterMs: 120 });
      if (first) first.answered = undefined;
      run.attempts.push({ eventId: other, requestTime: `${COMMITTED_AT + 115}`, succeeded: true });
    },
  ],
  [
    "an event that has failed after all its attempts",
    (run) => {
      last(run, event, { answered: 500 });
      outcome(run, event, "failed");
    },
  ],
  ["an event of a merchant without webhooks", (run) => void run.outbox.push(strangersEvent(run))],
  [
    "a test event",
    (run) => again(run, other, { eventId: "event-x", eventType: "webhook.test", body: Buffer.from("{}") }),
  ],
  [
    "a retry that is late because a process was dead",
    (run) => {
      move(run, event, 1, 45_000);
      move(run, event, 2, 120_000);
      run.rules.retryWindowMs = 200_000;
      run.rules.retriesMayBeLate = true;
      run.rules.retryDelaysMs = [30_000, 60_000];
    },
  ],
];

function strangersEvent(run: TestLedgers): OutboxRow {
  const row = { ...rowOf(run, other), eventId: "event-x", merchantId: idOf(9), paymentId: idOf(9) };
  const payment = run.paymentHistory.find(({ to }) => to === "FAILED");
  run.paymentHistory.push({ ...payment!, paymentId: idOf(9) });
  run.acceptedEvents.push({ eventId: row.eventId, merchantId: idOf(9), outcome: "skipped" });
  return { ...row, body: row.body.replace(idOf(2), idOf(9)) };
}

function attemptsOf(run: TestLedgers, eventId: string): ReceivedWebhook[] {
  return run.received.filter(({ headers }) => headers["x-event-id"] === eventId);
}

function without(run: TestLedgers, eventId: string): ReceivedWebhook[] {
  return run.received.filter(({ headers }) => headers["x-event-id"] !== eventId);
}

function last(run: TestLedgers, eventId: string, differing: Partial<ReceivedWebhook>): void {
  Object.assign(attemptsOf(run, eventId).at(-1) ?? {}, differing);
}

function move(run: TestLedgers, eventId: string, attempt: number, afterMs: number): void {
  const arrivedAt = COMMITTED_AT + afterMs;
  const webhook = attemptsOf(run, eventId)[attempt];
  if (!webhook) throw new Error(`${eventId} had no attempt ${attempt}`);
  run.received = run.received.filter((each) => each !== webhook);
  arrive(run, rowOf(run, eventId), { arrivedAt, answered: webhook.answered });
  run.received.sort((a, b) => a.arrivedAt - b.arrivedAt);
}

function again(run: TestLedgers, eventId: string, change: Parameters<typeof arrive>[2]): void {
  arrive(run, rowOf(run, eventId), change);
}

function rowOf(run: TestLedgers, eventId: string): OutboxRow {
  const found = run.outbox.find((row) => row.eventId === eventId);
  if (!found) throw new Error(`no event ${eventId} was built`);
  return found;
}

function outcome(run: TestLedgers, eventId: string, is: string): void {
  Object.assign(run.acceptedEvents.find((each) => each.eventId === eventId) ?? {}, { outcome: is });
}

/** The body with other fields; the amount is in it as a number's text. */
function tell(run: TestLedgers, eventId: string, differing: Record<string, string | undefined>): void {
  const { amount, ...rest } = differing;
  const fields = JSON.parse(
    rowOf(run, eventId).body.replace(/"amount":([\d.]+)/, '"amount":"=$1"'),
  ) as object;
  const changed = { ...fields, ...rest, ...(amount !== undefined && { amount: `=${amount}` }) };
  const body = Buffer.from(JSON.stringify(changed).replace(/"=([\d.]+)"/, "$1"));
  for (const webhook of attemptsOf(run, eventId)) webhook.body = body;
}

function stop(run: TestLedgers, fromMs: number, untilMs: number): void {
  run.rules.dispatcherStops.push({ fromMs, untilMs });
}

function disturb(run: TestLedgers, fromMs: number, untilMs: number): void {
  run.rules.disturbances.push({ fromMs, untilMs });
}
