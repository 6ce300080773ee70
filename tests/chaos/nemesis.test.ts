import { expect, test } from "vitest";
import { runNemesis } from "./nemesis.ts";
import type { System } from "./system/system.ts";

test("a fault waits for the one before on the same process, and not for those of others", async () => {
  const events: string[] = [];
  const drained = Promise.withResolvers<void>();
  const secondKilled = Promise.withResolvers<void>();
  const service = (name: string) => ({
    process: {
      name,
      terminate: async () => {
        events.push(`${name} ends`);
        await drained.promise;
      },
      kill: async () => {
        events.push(`${name} killed`);
        if (name === "payments-2") secondKilled.resolve();
      },
      spawn: async () => void events.push(`${name} started`),
    },
  });
  const payments = [service("payments-1"), service("payments-2")];
  const system = {
    gateways: [],
    payments,
    refunds: [],
    webhooks: [],
    settlement: [],
    staffApis: [],
  } as unknown as System;

  const running = runNemesis(system, [
    { atMs: 0, durationMs: 0, fault: { kind: "terminate", process: "payments-1" } },
    { atMs: 1, durationMs: 0, fault: { kind: "kill", process: "payments-1" } },
    { atMs: 10, durationMs: 0, fault: { kind: "kill", process: "payments-2" } },
  ]);
  await secondKilled.promise;
  expect(events).toEqual(["payments-1 ends", "payments-2 killed"]);
  drained.resolve();
  await running;
  expect(events.filter((event) => event.startsWith("payments-1"))).toEqual([
    "payments-1 ends",
    "payments-1 started",
    "payments-1 killed",
    "payments-1 started",
  ]);
});
