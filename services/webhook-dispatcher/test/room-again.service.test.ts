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
  const answered = Array.from({ length: MAX_IN_FLIGHT }, () => newEvent({ merchantId }));
  await harness.publish(...answered);
  await eventually(() => expect(harness.receiver.ledger).toHaveLength(MAX_IN_FLIGHT));
  const waits = newEvent({ merchantId });
  await harness.publish(waits);
  // It is accepted, and what is claimed because of it comes to nothing.
  await eventually(() => expect(harness.confirmed).toContain(waits.eventId));
  harness.receiver.behave({ kind: "status", status: 200 });
  harness.receiver.dropConnections();
  await eventually(async () =>
    expect(await harness.delivery(waits.eventId)).toMatchObject({ status: "delivered" }),
  );
});

/** Of an endpoint that has not answered yet. */
const MAX_IN_FLIGHT = 8;
