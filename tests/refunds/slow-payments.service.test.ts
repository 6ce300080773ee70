import { randomUUID } from "node:crypto";
import { operations, reserveRefund } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { expect, onTestFinished, test } from "vitest";
import { eventually, serveCommands, startTestSystem } from "../support/index.ts";

test("requests of one merchant that wait for payments leave another's the places of the process", async () => {
  const system = await startTestSystem({ services: ["refunds"], env: { LOCAL_COMMANDS_IN_FLIGHT_MAX: "4" } });
  const [noisy, other] = [randomUUID(), randomUUID()];
  const release = Promise.withResolvers<void>();
  let held = 0;
  const payments = await serveCommands(system.nats.url, "payments", [
    handler(reserveRefund, async ({ context }) => {
      if (context.merchant.merchantId === noisy) {
        held++;
        await release.promise;
      }
      return { outcome: "problem", code: "payment_not_found" };
    }),
  ]);
  onTestFinished(async () => {
    await payments.stop();
    await system.close();
  });
  const ask = (merchantId: string) => {
    const refund = { refundId: randomUUID(), paymentId: randomUUID(), amountMinor: "100", currency: "TRY" };
    return system.call(operations.requestRefund.command, refund, { merchant: { merchantId } });
  };
  const underway = Array.from({ length: 4 }, () => ask(noisy));
  await eventually(() => expect(held).toBe(1));
  expect(await ask(noisy)).toEqual({ outcome: "not_started" });
  expect(await ask(other)).toEqual({ outcome: "problem", code: "payment_not_found" });
  release.resolve();
  expect((await Promise.all(underway)).map(({ outcome }) => outcome).toSorted()).toEqual([
    "not_started",
    "not_started",
    "not_started",
    "problem",
  ]);
});
