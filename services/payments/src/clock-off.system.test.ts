import { createShiftedClock, eventually } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { startPaymentsHarness } from "../test/payments-harness.ts";

test("a process that is 15 s behind begins nothing and says so, and takes payments once its clock is right", async () => {
  const payments = await startPaymentsHarness({}, { alone: true });
  onTestFinished(() => payments.close());
  const clock = await createShiftedClock(-15_000);
  onTestFinished(() => clock.close());
  const child = await payments.spawn("payments", clock.env);

  const command = payments.command();
  expect(await payments.send(command)).toEqual({ outcome: "not_started" });
  expect(await payments.read(command.paymentId)).toEqual({ outcome: "not_started" });
  expect(await payments.wholeLedger()).toEqual([]);
  expect(await payments.query("select 1 from payments.payment")).toEqual([]);
  const ready = await clock.health("/readyz");
  expect([ready.status, JSON.parse(ready.text)]).toEqual([503, { status: "not ready", failing: ["clock"] }]);
  const [, skew] =
    /^holdfast_clock_skew_seconds(?:\{.*\})? (\S+)/m.exec((await clock.health("/metrics")).text) ?? [];
  expect(Math.round(Number(skew))).toBe(15);
  expect(child.logTail()).toContain("this machine's clock is off");

  clock.set(0);
  await eventually(async () =>
    expect(await payments.send(command)).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } }),
  );
  expect((await clock.health("/readyz")).status).toBe(200);
  expect(await payments.ledger(command.paymentId)).toHaveLength(1);
});

test("what is unknown waits while the clock is off, and is settled once it is right", async () => {
  const payments = await startPaymentsHarness(
    { RECOVERY_SCHEDULE: "100ms", RECOVERY_INTERVAL: "20ms", ACQUIRER_TIMEOUT: "3s", LEASE_DURATION: "9s" },
    { alone: true },
  );
  onTestFinished(() => payments.close());
  const clock = await createShiftedClock(-15_000);
  onTestFinished(() => clock.close());
  const command = payments.command();
  const first = await payments.startAnother({ RECOVERY_INTERVAL: "1h" });
  await payments.acquirerWill("authorize", "http_500");
  expect(await payments.send(command)).toMatchObject({ outcome: "pending" });
  await first.stop();

  const unsettled = "select recovery_attempts, recover_at from payments.payment where recover_at is not null";
  const [before] = await payments.query(unsettled);
  await payments.spawn("payments", clock.env);
  const due = `${unsettled} and recover_at < now()`;
  await eventually(async () => expect(await payments.query(due)).toEqual([before]));
  clock.set(0);
  await eventually(async () =>
    expect(await payments.read(command.paymentId)).toMatchObject({ result: { status: "SUCCESS" } }),
  );
});
