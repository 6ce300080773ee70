import { armFailpoints } from "@holdfast/service-runtime";
import { eventually } from "@holdfast/tests/support";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { startDispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";
import { insertWaiting } from "./waiting-deliveries.ts";

test("one call for a claim gets to every endpoint with room, however many without room stand between", async () => {
  const { callForClaim, makeEndsDue, leasedEnds } = await startWithFull();
  await makeEndsDue();
  await callForClaim();
  await eventually(async () => expect(await leasedEnds()).toBe(2));
});

test("a call that comes behind the first of them gets to these, too", async () => {
  const { callForClaim, makeEndsDue, leasedEnds } = await startWithFull();
  const hits = armFailpoints("webhooks.after_claim:hold");
  onTestFinished(() => void armFailpoints(undefined));
  await callForClaim();
  await eventually(() => expect(hits("webhooks.after_claim")).toBe(1));
  await makeEndsDue();
  await callForClaim();
  armFailpoints(undefined);
  await eventually(async () => expect(await leasedEnds()).toBe(2));
});

/**
 * A dispatcher that claims only when it is called, and more endpoints without room than one claim steps over; the first
 * and the last of all have room and nothing due yet.
 */
async function startWithFull() {
  const harness = await startDispatcherHarness({
    WEBHOOK_CLAIM_INTERVAL: "1h",
    WEBHOOK_RETRY_SCHEDULE: "1h",
    WEBHOOK_ATTEMPT_TIMEOUT: "1h",
    WEBHOOK_SENDS_IN_FLIGHT_MAX: "2",
  });
  onTestFinished(() => harness.close());
  harness.receiver.behave({ kind: "hang" });
  const { merchantId } = await harness.enable();
  const leased = async (endpoints?: string[]) => {
    const [row] = await harness.query<{ count: number }>(
      `select count(distinct endpoint_id)::int as count from webhooks.delivery
       where lease_token is not null and ($1::uuid[] is null or endpoint_id = any($1))`,
      [endpoints],
    );
    return row!.count;
  };
  await harness.publish(...Array.from({ length: MAX_IN_FLIGHT }, () => newEvent({ merchantId })));
  await eventually(async () => expect(await leased()).toBe(1));
  // An event for which there is no room is left to a claim.
  const callForClaim = async () => {
    const event = newEvent({ merchantId });
    await harness.publish(event);
    await eventually(() => expect(harness.confirmed).toContain(event.eventId));
  };
  const superuser = new Pool({ connectionString: harness.database.superuserUrl });
  const endpoints = await insertWaiting(superuser, { merchants: FULL + 2, each: 2, dueInSeconds: -60 });
  await superuser.end();
  await harness.query("update webhooks.endpoint set max_in_flight = 1 where endpoint_id = any($1)", [
    endpoints,
  ]);
  const ends = [endpoints[0]!, endpoints.at(-1)!];
  const makeDue = async (after: string) => {
    await harness.query(
      "update webhooks.delivery set due_at = now() + $2::interval where endpoint_id = any($1)",
      [ends, after],
    );
  };
  await makeDue("1 hour");
  await eventually(
    async () => {
      await callForClaim();
      expect(await leased()).toBe(FULL + 1);
    },
    { withinMs: 60_000 },
  );
  return { callForClaim, makeEndsDue: () => makeDue("0"), leasedEnds: () => leased(ends) };
}

/** The limit of an endpoint that has not answered yet. */
const MAX_IN_FLIGHT = 8;
/** The number of full endpoints, more than one claim steps over. */
const FULL = 2_100;
