import { randomUUIDv7 } from "node:crypto";
import { connectBus } from "@holdfast/messaging";
import { eventually, startTestNats } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import type { BusinessEvents } from "../business-events.ts";
import { createConfirmations } from "./confirmations.ts";

test("so many confirmations wait for their owner and no more; the others are counted, and come again", async () => {
  const nats = await startTestNats();
  onTestFinished(() => nats.stop());
  const bus = await connectBus({ url: nats.url, name: "webhook-dispatcher" });
  onTestFinished(() => bus.close(500));
  const notConfirmed: Record<string, number> = {};
  const events = {
    notConfirmed(count: number, reason: string) {
      notConfirmed[reason] = (notConfirmed[reason] ?? 0) + count;
    },
  } as Partial<BusinessEvents> as BusinessEvents;
  const confirmations = createConfirmations(bus, events);
  const add = (source: "payments" | "refunds", count: number) => {
    for (let each = 0; each < count; each++) confirmations.add(source, randomUUIDv7());
  };
  add("payments", 20_005);
  add("refunds", 1);
  // Neither owner is running.
  await eventually(() => expect(notConfirmed).toEqual({ overloaded: 5, not_started: 20_001 }));
  add("payments", 1);
  await confirmations.stop(5_000);
  expect(notConfirmed).toEqual({ overloaded: 5, not_started: 20_002 });
});
