import { eventually } from "@holdfast/tests/support";
import { operations } from "@holdfast/contracts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClock } from "../src/clock.ts";
import { brokenPromises } from "./broken-promises.ts";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent, type TestEvent } from "./events.ts";

// The tests use the spec's table and window, under a clock that jumps from one due time to the next.
const S = 1_000;
const M = 60 * S;
const H = 60 * M;
const TABLE = [30 * S, M, 5 * M, 15 * M, H, 4 * H, 12 * H, 24 * H];

let harness: DispatcherHarness;
let shiftMs: number;
const now = () => Date.now() + shiftMs;

beforeEach(async () => {
  shiftMs = 0;
  harness = await startDispatcherHarness(
    {
      WEBHOOK_RETRY_SCHEDULE: "30s,1m,5m,15m,1h,4h,12h,24h",
      WEBHOOK_ATTEMPT_TIMEOUT: "60s",
      WEBHOOK_LEASE: "5m",
    },
    // The receiver gets every attempt, however long a busy machine takes to connect.
    { overrides: { clock: createClock(() => shiftMs), connectMaxMs: 60_000 }, now },
  );
  harness.receiver.behave({ kind: "status", status: 500 });
});
afterEach(() => harness.close());

type Row = { attempt: number; due_at: Date; leased: boolean };

/** The scheduled delivery, once it is not being sent. */
async function waiting(event: TestEvent, attempt: number): Promise<Row> {
  return await eventually(async () => {
    const [row] = await harness.query<Row>(
      "select attempt, due_at, lease_token is not null as leased from webhooks.delivery where event_id = $1 and trigger = 'schedule'",
      [event.eventId],
    );
    expect(row).toMatchObject({ attempt, leased: false });
    return row!;
  });
}

const jumpTo = (time: Date, byMs = 0) => void (shiftMs = time.getTime() + byMs - Date.now());
const attemptsAt = (event: TestEvent) =>
  harness.receiver.ledger.filter(({ headers }) => headers["x-event-id"] === event.eventId);
const outcome = (event: TestEvent) =>
  eventually(async () => {
    const { status } = await harness.delivery(event.eventId);
    expect(status).not.toBe("pending");
    return status;
  });

test("48 hours of failure are exactly nine attempts at the table's times, then failed; one more only by hand", async () => {
  const { merchantId, secret } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  const planned: number[] = [];
  for (let attempt = 2; attempt <= 9; attempt++) {
    const { due_at } = await waiting(event, attempt);
    planned.push(due_at.getTime());
    jumpTo(due_at);
  }
  expect(await outcome(event)).toBe("failed");
  expect(attemptsAt(event)).toHaveLength(9);

  const { attempts } = await harness.delivery(event.eventId);
  expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (const [index, delayMs] of TABLE.entries()) {
    const failed = attempts[index]!;
    const endedAt = Date.parse(failed.sentAt) + failed.durationMs;
    expect(Date.parse(attempts[index + 1]!.sentAt) - endedAt).toBeGreaterThanOrEqual(delayMs - 1);
    // A busy machine may send it later than it was planned.
    expect(planned[index]! - endedAt).toBeLessThanOrEqual(delayMs * 1.1 + 2 * S);
  }
  const rules = {
    receivers: [{ merchantId, path: "/webhooks", secrets: [secret] }],
    retryDelaysMs: TABLE,
    retryWindowMs: 48 * H,
  };
  expect(await brokenPromises(harness, [event], rules)).toEqual([]);

  shiftMs += 5 * 24 * H;
  harness.receiver.behave({ kind: "status", status: 200 });
  expect(
    await harness.operate(operations.redeliverWebhook.command, { eventId: event.eventId }),
  ).toMatchObject({
    outcome: "done",
  });
  await eventually(async () => expect((await harness.delivery(event.eventId)).status).toBe("delivered"));
  const after = await harness.delivery(event.eventId);
  expect(after.attempts.at(-1)).toMatchObject({ trigger: "manual", succeeded: true });
  expect(after.attempts.at(-1)).not.toHaveProperty("number");
  expect(attemptsAt(event)).toHaveLength(10);
});

test("an open breaker never pauses the schedule: each delivery gets its attempts, late at most", async () => {
  const { merchantId } = await harness.enable();
  const events = Array.from({ length: 12 }, () => newEvent({ merchantId }));
  await harness.publish(...events);
  for (let attempt = 2; attempt <= 4; attempt++) {
    const last = await eventually(async () => {
      const [row] = await harness.query<{ count: number; last: Date }>(
        `select count(*)::int as count, max(due_at) as last from webhooks.delivery
           where attempt = $1 and lease_token is null`,
        [attempt],
      );
      expect(row!.count).toBe(12);
      return row!.last;
    });
    expect(harness.receiver.ledger).toHaveLength(12 * (attempt - 1));
    jumpTo(last);
  }
  await eventually(() => expect(harness.receiver.ledger).toHaveLength(48));
});

test("a resend by hand is extra: it moves nothing when it fails, and ends the schedule when it succeeds", async () => {
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  const before = await waiting(event, 2);
  await harness.operate(operations.redeliverWebhook.command, { eventId: event.eventId });
  await eventually(async () => expect((await harness.delivery(event.eventId)).attemptCount).toBe(2));
  expect(await waiting(event, 2)).toEqual(before);
  expect(await harness.delivery(event.eventId)).toMatchObject({ status: "pending" });

  harness.receiver.behave({ kind: "status", status: 200 });
  // Two requests together: neither is dropped for being the same event.
  await Promise.all(
    [1, 2].map(() => harness.operate(operations.redeliverWebhook.command, { eventId: event.eventId })),
  );
  await eventually(() => expect(attemptsAt(event)).toHaveLength(4));
  expect(await outcome(event)).toBe("delivered");
  jumpTo(before.due_at, M);
  await eventually(async () => expect(await harness.query("select 1 from webhooks.delivery")).toEqual([]));
  expect(attemptsAt(event)).toHaveLength(4);
});

test("down for fifty hours: what was never attempted gets one attempt, what was attempted has failed", async () => {
  const { merchantId } = await harness.enable();
  const attempted = newEvent({ merchantId });
  await harness.publish(attempted);
  await waiting(attempted, 2);
  // An event of fifty hours ago that arrives only now.
  const late = newEvent({ merchantId, at: Date.now() + 1 });
  shiftMs = 50 * H;
  await harness.publish(late);
  expect(await outcome(attempted)).toBe("failed");
  expect(await outcome(late)).toBe("failed");
  expect(attemptsAt(attempted)).toHaveLength(1);
  expect(attemptsAt(late)).toHaveLength(1);
});

test("the same event published again long after is known: confirmed again, not sent again", async () => {
  harness.receiver.behave({ kind: "status", status: 200 });
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  expect(await outcome(event)).toBe("delivered");
  shiftMs = 60 * H;
  await harness.publish(event);
  await eventually(() => expect(harness.confirmed.filter((id) => id === event.eventId)).toHaveLength(2));
  expect(await harness.query("select 1 from webhooks.delivery")).toEqual([]);
  expect(attemptsAt(event)).toHaveLength(1);
});
