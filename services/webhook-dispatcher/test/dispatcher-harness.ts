import { randomUUIDv7 } from "node:crypto";
import {
  confirmEvents,
  eventSubject,
  operations,
  type EventSource,
  type WebhookDeliveryDetail,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { createReplyRecipient } from "@holdfast/sealing";
import {
  captureLog,
  eventually,
  makeTestCertificates,
  serveCommands,
  startLedgerReceiver,
  startTestSystem,
  type Overrides,
  type TestCertificates,
  type TestDatabase,
} from "@holdfast/tests/support";
import { jetstream } from "@nats-io/jetstream";
import type { TestEvent } from "./events.ts";

export type DispatcherHarness = Awaited<ReturnType<typeof startDispatcherHarness>>;

export type HarnessOptions = {
  /** Starts no dispatcher yet where it is `false`. */
  start?: boolean;
  overrides?: Overrides;
  /** The merchant's clock. */
  now?: () => number;
  /** Replaces a database of the test run's server. */
  database?: TestDatabase;
  /** The time that the stream waits for an acknowledgement. */
  ackWaitMs?: number;
};

/**
 * A dispatcher with its own database, bus and merchant's server; the test plays owner and gateway.
 *
 * @param env settings of the dispatchers.
 */
export async function startDispatcherHarness(
  env: Record<string, string> = {},
  { start = true, overrides = {}, now = Date.now, ...given }: HarnessOptions = {},
) {
  const certificates = await makeTestCertificates();
  const { log, lines } = captureLog("webhook-dispatcher");
  const system = await startTestSystem({
    services: ["webhook-dispatcher"],
    running: [],
    env: {
      WEBHOOK_CA_FILE: certificates.caFile,
      // On a busy machine an attempt may fail, so the next one has to follow soon.
      WEBHOOK_RETRY_SCHEDULE: "300ms",
      WEBHOOK_CLAIM_INTERVAL: "20ms",
      WEBHOOK_REAP_INTERVAL: "100ms",
      ...env,
    },
    log: () => log,
    ...given,
  });
  const { bus, nats, operate } = system;
  const receiver = await startLedgerReceiver({ ...certificates, now });
  const receivers = [receiver];
  const confirmed: string[] = [];
  const owner = await serveCommands(nats.url, "payments", [
    handler(confirmEvents.payments, async ({ payload }) => {
      confirmed.push(...payload.eventIds);
      return { outcome: "done", result: {} };
    }),
  ]);
  const startOne = (more?: Record<string, string>, replaced = overrides) =>
    system.start("webhook-dispatcher", more, replaced);
  if (start) await startOne();

  return {
    ...system,
    receiver,
    /** Ids that were confirmed to the owner, in order, with repetitions. */
    confirmed,
    /** The log lines of the dispatchers. */
    lines,
    start: startOne,
    async startReceiver(changed: Pick<TestCertificates, "cert" | "key"> = certificates) {
      const another = await startLedgerReceiver({ ...changed, now });
      receivers.push(another);
      return another;
    },
    async publish(...events: TestEvent[]) {
      const client = jetstream(bus.nats);
      const encode = (event: TestEvent) => JSON.stringify({ ...event, body: event.body.toString("base64") });
      // A stream that was lost is there again after a moment.
      await eventually(() =>
        Promise.all(events.map((event) => client.publish(eventSubject(event.source), encode(event)))),
      );
    },
    /** Publishes events in one message; a text is listed as it is, in place of an event. */
    async publishList(...listed: (TestEvent | string)[]) {
      const events = listed.map((event) =>
        typeof event === "string" ? event : { ...event, body: event.body.toString("base64") },
      );
      await jetstream(bus.nats).publish(eventSubject("payments"), JSON.stringify({ events }));
    },
    async publishRaw(data: string | Uint8Array, publisher: EventSource = "payments") {
      await jetstream(bus.nats).publish(eventSubject(publisher), data);
    },
    /** Turns webhooks on. @returns merchant and secret. */
    async enable(url = receiver.url, merchantId = randomUUIDv7()) {
      const recipient = createReplyRecipient();
      const reply = await operate(operations.putMerchantWebhook.command, {
        merchantId,
        url,
        recipientKey: recipient.publicKey,
      });
      if (reply.outcome !== "done" || !reply.result.secret)
        throw new Error(`not turned on: ${JSON.stringify(reply)}`);
      return { merchantId, secret: recipient.open(reply.result.secret) };
    },
    async disable(merchantId: string) {
      await operate(operations.removeMerchantWebhook.command, { merchantId, endpointId: merchantId });
    },
    async delivery(eventId: string): Promise<WebhookDeliveryDetail> {
      const reply = await operate(operations.getWebhookDelivery.command, { eventId });
      if (reply.outcome !== "done") throw new Error(`no delivery: ${JSON.stringify(reply)}`);
      return reply.result;
    },
    async close() {
      await system.stopAll();
      await owner.stop();
      await Promise.all(receivers.map((each) => each.close()));
      await system.close();
    },
  };
}
