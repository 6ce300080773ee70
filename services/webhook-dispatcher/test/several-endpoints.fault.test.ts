import type { Failpoint } from "@holdfast/service-runtime";
import { eventually } from "@holdfast/tests/support";
import { verifyWebhook } from "@holdfast/webhook-signature";
import { expect, test } from "vitest";
import { startDispatcherHarness } from "./dispatcher-harness.ts";
import { addEndpoint } from "./endpoints.ts";
import { newEvent } from "./events.ts";

/** The point at which the process dies: after the first endpoint's 2xx, before or while that is recorded. */
const points: Failpoint[] = ["webhooks.after_2xx", "webhooks.in_result_batch"];

test.concurrent.each(points)(
  "a dispatcher killed at %s, between an event's two deliveries, makes the other one and loses none",
  { timeout: 300_000 },
  async (point) => {
    const settings = { WEBHOOK_LEASE: "5s", WEBHOOK_ATTEMPT_TIMEOUT: "3s" };
    const harness = await startDispatcherHarness(settings, { start: false, ackWaitMs: 1_000 });
    const first = await harness.start();
    const { merchantId } = await harness.enable();
    const books = await harness.startReceiver();
    const further = await addEndpoint(harness, merchantId, { url: books.url });
    await first.stop();

    // Nothing is delivered there before the kill.
    books.behave({ kind: "status", status: 503 });
    const events = Array.from({ length: 3 }, () => newEvent({ merchantId }));
    const doomed = await harness.spawn("webhook-dispatcher", { FAILPOINTS: `${point}:kill@1` });
    await harness.publish(...events);
    expect(await doomed.exited).toEqual({ code: null, signal: "SIGKILL" });

    books.behave({ kind: "status", status: 200 });
    await harness.start();
    for (const { eventId } of events) {
      await eventually(async () =>
        expect((await harness.delivery(eventId)).endpoints).toMatchObject([
          { endpointId: merchantId, status: "delivered" },
          { endpointId: further.endpointId, status: "delivered" },
        ]),
      );
    }
    for (const { eventId } of events) {
      const arrived = books.ledger.filter(({ headers }) => headers["x-event-id"] === eventId);
      expect(arrived.length).toBeGreaterThan(0);
      const now = Date.now();
      expect(verifyWebhook(arrived.at(-1)!, { secret: further.secret, now })).toMatchObject({ valid: true });
      const atShop = harness.receiver.ledger.filter(({ headers }) => headers["x-event-id"] === eventId);
      // One under way at the kill may have come twice, and none more often.
      expect([1, 2]).toContain(atShop.length);
    }
    expect(await harness.query("select 1 from webhooks.delivery")).toEqual([]);
    await harness.close();
  },
);
