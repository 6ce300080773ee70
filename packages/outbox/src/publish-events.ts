import { createHash } from "node:crypto";
import {
  eventSubject,
  type EventSource,
  type ListedEvent,
  type StatusChangedEvent,
} from "@holdfast/contracts";
import { messagingAttributes, TRACEPARENT_HEADER } from "@holdfast/messaging";
import { formatTraceparent, inSpan, remoteContext, SpanKind } from "@holdfast/telemetry";
import { jetstream, type JetStreamClient, type JetStreamPublishOptions } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { inMessages } from "./in-messages.ts";
import type { ClaimedEvent } from "./outbox-statements.ts";

/**
 * Publishes events, several in a message, and the messages side by side. The server's answer proves little
 * (it syncs its files every two minutes), but without an answer the events certainly have to be sent again.
 *
 * @returns the events that were not acknowledged, with one of the errors.
 */
export async function publishEvents(
  nats: NatsConnection,
  source: EventSource,
  events: ClaimedEvent[],
): Promise<{ failed: ClaimedEvent[]; error?: unknown }> {
  const client = jetstream(nats, { timeout: PUBLISH_TIMEOUT_MS });
  const messages = inMessages(events);
  const results = await Promise.allSettled(
    messages.flatMap((together) => publishTogether(client, source, together)),
  );
  const failed = messages.flat().filter((_, index) => results[index]!.status === "rejected");
  const rejection = results.find((result) => result.status === "rejected");
  return { failed, ...(rejection && { error: rejection.reason }) };
}

const PUBLISH_TIMEOUT_MS = 5_000;

/** Publishes one message. @returns the result for each of its events, which is the same for all. */
function publishTogether(
  client: JetStreamClient,
  source: EventSource,
  events: ClaimedEvent[],
): Promise<void>[] {
  const traceparents: (string | null)[] = [];
  const sent = Promise.withResolvers<void>();
  // Each span begins before this returns, so that the message has the trace contexts of all.
  const published = events.map((event) =>
    inPublishingSpan(source, event, async (traceparent) => {
      traceparents.push(traceparent);
      await sent.promise;
    }),
  );
  sent.resolve(send(client, source, events, traceparents));
  return published;
}

/** Publishes in the trace of the request that made the event; the consumer continues that trace. */
async function inPublishingSpan(
  source: EventSource,
  event: ClaimedEvent,
  publish: (traceparent: string | null) => Promise<void>,
): Promise<void> {
  if (event.traceparent === null) return await publish(null);
  const subject = eventSubject(source);
  const options = {
    kind: SpanKind.PRODUCER,
    parent: remoteContext(event.traceparent),
    attributes: {
      ...messagingAttributes(subject, "send", "publish"),
      "messaging.message.id": event.event_id,
      "holdfast.event.id": event.event_id,
      "holdfast.payment.id": event.payment_id,
      "holdfast.merchant.id": event.merchant_id,
      "holdfast.status": event.status,
      "holdfast.attempt": event.publish_attempts,
    },
  };
  await inSpan(`publish ${subject}`, options, async (span) => {
    await publish(span.isRecording() ? formatTraceparent(span.spanContext()) : event.traceparent);
  });
}

async function send(
  client: JetStreamClient,
  source: EventSource,
  events: ClaimedEvent[],
  traceparents: (string | null)[],
): Promise<void> {
  const [only, ...others] = events;
  const { content, ...options } =
    only && others.length === 0
      ? messageOf(source, only, traceparents[0]!)
      : listOf(source, events, traceparents);
  // One more copy does no harm, and the outbox repeats a lost one.
  await client.publish(eventSubject(source), JSON.stringify(content), { ...options, retries: 1 });
}

type Message = Partial<Pick<JetStreamPublishOptions, "msgID" | "headers">> & { content: object };

function messageOf(source: EventSource, event: ClaimedEvent, traceparent: string | null): Message {
  return {
    content: eventOf(source, event),
    // The id includes the attempt: the server remembers ids for its whole window and would drop a copy that is published
    // because the first was lost.
    msgID: `${event.event_id}:${event.publish_attempts}`,
    headers: headersOf(traceparent),
  };
}

function listOf(source: EventSource, events: ClaimedEvent[], traceparents: (string | null)[]): Message {
  const listed = events.map((event, index): ListedEvent => {
    const traceparent = traceparents[index];
    return { ...eventOf(source, event), ...(traceparent && { traceparent }) };
  });
  // The same events give the same id: if a list that seemed to fail did arrive, the server drops the second
  // copy.
  const ids = events.map(({ event_id }) => event_id).join();
  return {
    content: { events: listed },
    msgID: createHash("sha256").update(ids).digest("base64url"),
  };
}

function eventOf(source: EventSource, event: ClaimedEvent): StatusChangedEvent {
  return {
    eventId: event.event_id,
    eventType: event.event_type as StatusChangedEvent["eventType"],
    source,
    merchantId: event.merchant_id,
    paymentId: event.payment_id,
    status: event.status,
    body: event.body.toString("base64"),
  };
}

function headersOf(traceparent: string | null) {
  const result = headers();
  if (traceparent !== null) result.set(TRACEPARENT_HEADER, traceparent);
  return result;
}
