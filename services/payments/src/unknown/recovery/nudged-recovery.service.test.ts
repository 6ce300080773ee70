import { eventually } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { startPaymentsHarness } from "../../../test/payments-harness.ts";

test("a payment that becomes undecided is asked about soon, though recovery looks seldom while none is", async () => {
  // Without a nudge the next look would come half a minute after the first one.
  const payments = await startPaymentsHarness({ RECOVERY_SCHEDULE: "100ms", RECOVERY_INTERVAL: "2s" });
  onTestFinished(() => payments.close());
  await payments.acquirerWill("authorize", "http_500");
  const command = payments.command();
  expect(await payments.send(command)).toMatchObject({ outcome: "pending" });
  // Not by a read, which would ask the bank itself.
  const state = "select state from payments.payment where payment_id = $1 and recover_at is null";
  await eventually(
    async () => expect(await payments.query(state, [command.paymentId])).toEqual([{ state: "SUCCESS" }]),
    { withinMs: 20_000 },
  );
});
