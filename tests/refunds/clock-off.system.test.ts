import { createShiftedClock, eventually } from "../support/index.ts";
import { expect, onTestFinished, test } from "vitest";
import { FAST, startRefundsHarness } from "./refunds-harness.ts";

test("an approval at a process that is 15 s behind is not started and never fails the refund", async () => {
  const refunds = await startRefundsHarness({ running: ["payments"], refunds: FAST });
  onTestFinished(() => refunds.close());
  const right = await refunds.startRefunds();
  const paymentId = await refunds.pay();
  const refundId = await refunds.queue(paymentId, "4000");
  await right.stop();

  const clock = await createShiftedClock(-15_000);
  onTestFinished(() => clock.close());
  await refunds.spawn("refunds", clock.env);
  expect(await refunds.approve(refundId)).toEqual({ outcome: "not_started" });
  expect(await refunds.ask(paymentId, "100")).toEqual({ outcome: "not_started" });
  expect(await refunds.query("select state from refunds.refund")).toEqual([{ state: "PENDING_APPROVAL" }]);
  const ready = await clock.health("/readyz");
  expect([ready.status, JSON.parse(ready.text)]).toEqual([503, { status: "not ready", failing: ["clock"] }]);

  clock.set(0);
  await eventually(async () => expect(await refunds.approve(refundId)).toMatchObject({ outcome: "done" }));
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
  expect(await refunds.ledger(refundId)).toEqual(["refund approved 4000"]);
  expect(await refunds.broken()).toEqual([]);
});
