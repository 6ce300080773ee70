import { operations, type WebhookHour } from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClock } from "../src/clock.ts";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";

const HOUR_MS = 3_600_000;
let harness: DispatcherHarness;
let shiftMs = 0;
beforeAll(async () => {
  harness = await startDispatcherHarness(
    { WEBHOOK_RETRY_SCHEDULE: "1h", WEBHOOK_ATTEMPT_TIMEOUT: "60s", WEBHOOK_LEASE: "5m" },
    {
      overrides: { clock: createClock(() => shiftMs), connectMaxMs: 60_000 },
      now: () => Date.now() + shiftMs,
    },
  );
});
afterAll(() => harness.close());

async function hoursOf(merchantId: string) {
  const name = { merchantId, endpointId: merchantId };
  const reply = await harness.operate(operations.getMerchantWebhookHealth.command, name);
  if (reply.outcome !== "done") throw new Error(`no hours: ${JSON.stringify(reply)}`);
  return reply.result.items;
}

const eventsOf = (merchantId: string, count: number) =>
  Array.from({ length: count }, () => newEvent({ merchantId, at: Date.now() + shiftMs }));

/** The numbers of recorded attempts, by result. */
async function attemptsOf(endpointId: string): Promise<Record<string, number>> {
  const rows = await harness.query<{ result: string; count: number }>(
    `select coalesce(error, 'answered') as result, count(*)::int as count from webhooks.attempt
     where endpoint_id = $1 group by 1`,
    [endpointId],
  );
  return Object.fromEntries(rows.map(({ result, count }) => [result, count]));
}

/** The numbers of attempts in the hours, by result. */
function countsOf(hours: readonly WebhookHour[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (result: string, count: number) => {
    if (count > 0) counts[result] = (counts[result] ?? 0) + count;
  };
  for (const { sent, answered, failed } of hours) {
    add("answered", answered);
    for (const { error, count } of failed) add(error, count);
    expect(answered + failed.reduce((total, { count }) => total + count, 0)).toBe(sent);
  }
  return counts;
}

test("every attempt is counted in its hour, by its result, with the times of the answers", async () => {
  const receiver = await harness.startReceiver();
  const { merchantId } = await harness.enable(receiver.url);
  await harness.publish(...eventsOf(merchantId, 20));
  await eventually(async () => expect(await attemptsOf(merchantId)).toEqual({ answered: 20 }));
  receiver.behave({ kind: "status", status: 503 });
  await harness.publish(...eventsOf(merchantId, 3));
  await eventually(async () => expect(await attemptsOf(merchantId)).toEqual({ answered: 20, status: 3 }));
  const before = await hoursOf(merchantId);
  expect(countsOf(before)).toEqual({ answered: 20, status: 3 });
  for (const { p50Ms, p95Ms } of before) expect(p95Ms).toBeGreaterThanOrEqual(p50Ms!);

  // The failed attempts are repeated in another hour.
  receiver.behave({ kind: "status", status: 200 });
  shiftMs = 2 * HOUR_MS;
  await eventually(async () => expect(await attemptsOf(merchantId)).toEqual({ answered: 23, status: 3 }));
  const after = await hoursOf(merchantId);
  expect(countsOf(after)).toEqual({ answered: 23, status: 3 });
  expect(after).toHaveLength(before.length + 1);
  expect(after[0]).toMatchObject({ sent: 3, answered: 3, failed: [] });

  const own = { endpointId: merchantId };
  const asMerchant = { merchant: { merchantId } };
  expect(await harness.call(operations.getWebhookHealth.command, own, asMerchant)).toMatchObject({
    result: { items: after },
  });
  expect(await harness.call(operations.getWebhookHealth.command, own)).toMatchObject({
    code: "webhook_not_found",
  });
  shiftMs = 31 * 24 * HOUR_MS;
  expect(await hoursOf(merchantId)).toEqual([]);
});
