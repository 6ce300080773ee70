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
  // A read would ask the bank itself, so the row is queried instead.
  const state = "select state from payments.payment where payment_id = $1 and recover_at is null";
  await eventually(
    async () => expect(await payments.query(state, [command.paymentId])).toEqual([{ state: "SUCCESS" }]),
    { withinMs: 20_000 },
  );
});

test("a payment that a read finds to be reversed is reversed soon, though the worker has seen that none is due", async () => {
  const seldom = { RECOVERY_SCHEDULE: "1h", RECOVERY_INTERVAL: "1h" };
  const payments = await startPaymentsHarness(seldom, { alone: true });
  onTestFinished(() => payments.close());
  const first = await payments.startAnother();
  // The bank has never seen it.
  const command = payments.command({ cardData: { pan: "4000000000000127" } });
  expect(await payments.send(command)).toMatchObject({ outcome: "pending" });
  await first.stop();
  await payments.query(
    `update payments.payment set updated_at = now() - interval '1 minute', created_at = created_at - interval '1 day'
     where payment_id = $1`,
    [command.paymentId],
  );
  // Recovery looks when it starts, and half a minute later.
  await payments.startAnother({ RECOVERY_INTERVAL: "2s" });
  expect(await payments.read(command.paymentId)).toMatchObject({ result: { status: "ENROLLED" } });
  const state = "select state from payments.payment where payment_id = $1";
  await eventually(
    async () => expect(await payments.query(state, [command.paymentId])).toEqual([{ state: "FAILED" }]),
    { withinMs: 20_000 },
  );
});
