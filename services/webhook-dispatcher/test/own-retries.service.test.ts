import { eventually } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { startDispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";

test("whoever has planned a retry sends it when it is due, without a look in between", async () => {
  const harness = await startDispatcherHarness({
    WEBHOOK_CLAIM_INTERVAL: "1h",
    WEBHOOK_RETRY_SCHEDULE: "100ms",
  });
  onTestFinished(() => harness.close());
  harness.receiver.behave({ kind: "status", status: 500 });
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await eventually(() => expect(harness.receiver.ledger.length).toBeGreaterThan(1));
  harness.receiver.behave({ kind: "status", status: 200 });
  await eventually(async () => {
    expect(await harness.delivery(event.eventId)).toMatchObject({ status: "delivered" });
  });
});
