import { expect, onTestFinished, test } from "vitest";
import { startRefundsHarness } from "./refunds-harness.ts";

test("a refund whose outcome is unknown is tried again soon, though recovery looks seldom while none is", async () => {
  // Without a nudge the next look would come half a minute after the first one.
  const refunds = await startRefundsHarness({
    env: { RECOVERY_SCHEDULE: "100ms,200ms", RECOVERY_INTERVAL: "2s" },
  });
  onTestFinished(() => refunds.close());
  const paymentId = await refunds.pay();
  const refundId = await refunds.queue(paymentId, "1000");
  await refunds.acquirerWill("refund", "reset");
  const approvedAt = performance.now();
  await refunds.approve(refundId);
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
  expect(performance.now() - approvedAt).toBeLessThan(20_000);
});
