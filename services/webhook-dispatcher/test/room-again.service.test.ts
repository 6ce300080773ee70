import { eventually } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { startDispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";

test("what found no room when it was looked for is sent when there is room, without waiting for the next look", async () => {
  const harness = await startDispatcherHarness({
    WEBHOOK_CLAIM_INTERVAL: "1h",
    WEBHOOK_RETRY_SCHEDULE: "1h",
    WEBHOOK_ATTEMPT_TIMEOUT: "30s",
  });
  onTestFinished(() => harness.close());
  const { merchantId } = await harness.enable();
  harness.receiver.behave({ kind: "hang" });
  const events = Array.from({ length: MAX_IN_FLIGHT + 1 }, () => newEvent({ merchantId }));
  await harness.publish(...events);
  await eventually(() => expect(new Set(harness.confirmed).size).toBe(events.length));
  await eventually(() => expect(harness.receiver.underway()).toBeGreaterThan(0));
  const left = await eventually(async () => {
    const rows = await harness.query<{ event_id: string }>(
      "select event_id from webhooks.delivery where lease_token is null",
    );
    // A claim that began before anything was underway may have taken it; for one more there is certainly no room.
    if (rows.length === 0) await harness.publish(newEvent({ merchantId }));
    return rows[0] ?? false;
  });
  harness.receiver.behave({ kind: "status", status: 200 });
  harness.receiver.dropConnections();
  await eventually(async () =>
    expect(await harness.delivery(left.event_id)).toMatchObject({ status: "delivered" }),
  );
});

/** The limit of an endpoint that has not answered yet. */
const MAX_IN_FLIGHT = 8;
