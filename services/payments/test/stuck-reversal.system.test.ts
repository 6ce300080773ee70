import { freePort } from "@holdfast/sandbox/infrastructure";
import { eventually } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { startPaymentsHarness } from "./payments-harness.ts";

test("reversals that the bank refuses are counted for the alert, from none on", async () => {
  const payments = await startPaymentsHarness(
    { RECOVERY_SCHEDULE: "100ms,200ms", RECOVERY_INTERVAL: "20ms", ADOPT_WITHIN: "0ms" },
    { alone: true },
  );
  onTestFinished(() => payments.close());
  const port = await freePort();
  await payments.spawn("payments", { HEALTH_PORT: String(port) });
  const stuck = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^holdfast_payments_reversals_stuck_total(?:\{.*\})? (\S+)/m.exec(text)?.[1]);
  };
  expect(await stuck()).toBe(0);
  await payments.acquirerWill("authorize", "http_500");
  await payments.acquirerWill("reverse", "refuse", 2);
  const command = payments.command();
  expect(await payments.send(command)).toMatchObject({ outcome: "pending" });
  await eventually(async () =>
    expect(await payments.read(command.paymentId)).toMatchObject({ result: { status: "FAILED" } }),
  );
  expect(await stuck()).toBe(2);
});
