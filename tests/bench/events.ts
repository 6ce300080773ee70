import { randomUUID, randomUUIDv7 } from "node:crypto";
import {
  eventSubject,
  operations,
  PAYMENT_STATUS_CHANGED,
  type StatusChangedEvent,
} from "@holdfast/contracts";
import { connectBus, request } from "@holdfast/messaging";
import { createReplyRecipient } from "@holdfast/sealing";
import { jetstream } from "@nats-io/jetstream";
import { exampleBody } from "./example-body.ts";

/** A merchant whose webhooks are on. */
export type Endpoint = { merchantId: string; url: string };

/** The bench in the place of the operator and of the events' owner. */
export type EventSource = {
  /** Turns webhooks on. @returns the secret. */
  turnOn(endpoint: Endpoint): Promise<string>;
  turnOff(endpoint: Pick<Endpoint, "merchantId">): Promise<void>;
  /** Puts an event straight into the stream. */
  publish(endpoint: Endpoint): Promise<void>;
  close(): Promise<void>;
};

/** @param token of an operator, who turns webhooks on and off. */
export async function connectEventSource(natsUrl: string, token: string): Promise<EventSource> {
  const bus = await connectBus({ url: natsUrl, name: "bench" });
  const stream = jetstream(bus.nats);
  const options = () => ({ waitUntil: Date.now() + COMMAND_TIMEOUT_MS, traceparent: "" });
  const context = () => ({
    requestId: randomUUID(),
    deadlineAt: Date.now() + COMMAND_TIMEOUT_MS,
    operator: { token },
  });
  return {
    async turnOn({ merchantId, url }) {
      const recipient = createReplyRecipient();
      const payload = { merchantId, url, recipientKey: recipient.publicKey };
      const reply = await request(bus, operations.putMerchantWebhook.command, context(), payload, options());
      if (reply.outcome !== "done" || !reply.result.secret)
        throw new Error(`webhooks were not turned on: ${JSON.stringify(reply)}`);
      return recipient.open(reply.result.secret);
    },
    async turnOff({ merchantId }) {
      const reply = await request(
        bus,
        operations.removeMerchantWebhook.command,
        context(),
        { merchantId, endpointId: merchantId },
        options(),
      );
      if (reply.outcome !== "done") throw new Error(`webhooks were not turned off: ${JSON.stringify(reply)}`);
    },
    async publish({ merchantId }) {
      const paymentId = randomUUID();
      const event: StatusChangedEvent = {
        eventId: randomUUIDv7(),
        eventType: PAYMENT_STATUS_CHANGED,
        source: "payments",
        merchantId,
        paymentId,
        status: "SUCCESS",
        body: exampleBody(paymentId).toString("base64"),
      };
      await stream.publish(eventSubject("payments"), JSON.stringify(event));
    },
    close: () => bus.close(1_000),
  };
}

const COMMAND_TIMEOUT_MS = 10_000;

/** Endpoints that are new, one to each port; webhooks are turned on for a few at a time. */
export async function newEndpoints(source: EventSource, urls: string[]): Promise<Endpoint[]> {
  const endpoints = urls.map((url) => ({ merchantId: randomUUIDv7(), url }));
  await forEach(endpoints, (endpoint) => source.turnOn(endpoint));
  return endpoints;
}

/** Runs over all, a few at a time. */
export async function forEach<Item>(items: Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const AT_ONCE = 16;
