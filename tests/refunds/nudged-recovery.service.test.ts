import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../support/index.ts";
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
  await refunds.approve(refundId);
  const state = "select state from refunds.refund where refund_id = $1 and recover_at is null";
  await eventually(
    async () => expect(await refunds.query(state, [refundId])).toEqual([{ state: "SUCCESS" }]),
    { withinMs: 20_000 },
  );
});
