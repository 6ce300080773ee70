import type { Failpoint } from "@holdfast/service-runtime";
import { eventually } from "@holdfast/tests/support";
import { expect, test } from "vitest";
import { brokenPromises } from "./broken-promises.ts";
import { startDispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";

const FAST = {
  WEBHOOK_LEASE: "5s",
  WEBHOOK_ATTEMPT_TIMEOUT: "3s",
  WEBHOOK_RETRY_SCHEDULE: "200ms,400ms",
};

const points: { point: Failpoint; arrived: "none" | "some" }[] = [
  { point: "webhooks.after_pull", arrived: "none" },
  { point: "webhooks.after_accept", arrived: "none" },
  { point: "webhooks.before_ack", arrived: "some" },
  { point: "webhooks.in_request", arrived: "some" },
  { point: "webhooks.after_2xx", arrived: "some" },
  { point: "webhooks.in_result_batch", arrived: "some" },
];

test.concurrent.each(points)(
  "a dispatcher killed at $point loses nothing",
  { timeout: 300_000 },
  async ({ point, arrived }) => {
    const harness = await startDispatcherHarness(FAST, { start: false, ackWaitMs: 1_000 });
    // A running dispatcher is needed to turn webhooks on; it stops before the events come.
    const first = await harness.start();
    const { merchantId, secret } = await harness.enable();
    await first.stop();
    const events = Array.from({ length: 5 }, () => newEvent({ merchantId }));

    const doomed = await harness.spawn("webhook-dispatcher", { FAILPOINTS: `${point}:kill@1` });
    await harness.publish(...events);
    expect(await doomed.exited).toEqual({ code: null, signal: "SIGKILL" });
    const killedAt = Date.now();
    const before = harness.receiver.ledger.length;
    if (arrived === "none") expect(before).toBe(0);

    await harness.start();
    for (const { eventId } of events) {
      await eventually(async () => expect((await harness.delivery(eventId)).status).toBe("delivered"));
    }
    // Confirmations gather for a moment, and the kill can lose them: then the owner publishes again.
    await eventually(
      async () => {
        const open = events.filter(({ eventId }) => !harness.confirmed.includes(eventId));
        if (open.length > 0) await harness.publish(...open);
        expect(open).toEqual([]);
      },
      { everyMs: 200 },
    );
    const rules = {
      receivers: [{ merchantId, path: "/webhooks", secrets: [secret] }],
      retryDelaysMs: [200, 400],
      // Deliveries under lease at the kill may have come twice, and none more often.
      disturbances: [{ fromMs: 0, untilMs: killedAt }],
    };
    expect(await brokenPromises(harness, events, rules)).toEqual([]);
    for (const entries of Map.groupBy(
      harness.receiver.ledger,
      ({ headers }) => headers["x-event-id"],
    ).values()) {
      expect(entries.length).toBeLessThanOrEqual(2);
    }
    expect(await harness.query("select 1 from webhooks.delivery")).toEqual([]);
    await harness.close();
  },
);

test(
  "what a killed dispatcher had leased is sent by another long before the leases end",
  { timeout: 300_000 },
  async () => {
    const harness = await startDispatcherHarness({ WEBHOOK_LEASE: "1h" }, { start: false });
    const survivor = await harness.start();
    const { merchantId } = await harness.enable();
    await survivor.stop();
    const doomed = await harness.spawn("webhook-dispatcher", { FAILPOINTS: "webhooks.in_request:stop@1" });
    const events = Array.from({ length: 5 }, () => newEvent({ merchantId }));
    await harness.publish(...events);
    const leased = "select from webhooks.delivery where lease_token is not null";
    await eventually(async () => expect((await harness.query(leased)).length).toBeGreaterThan(0));
    await harness.start();
    process.kill(doomed.pid, "SIGKILL");
    await doomed.exited;
    for (const { eventId } of events) {
      await eventually(async () => expect((await harness.delivery(eventId)).status).toBe("delivered"));
    }
    await harness.close();
  },
);
