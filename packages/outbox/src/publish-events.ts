import { eventSubject, type EventSource, type StatusChangedEvent } from "@holdfast/contracts";
import { messagingAttributes, TRACEPARENT_HEADER } from "@holdfast/messaging";
import { formatTraceparent, inSpan, remoteContext, SpanKind } from "@holdfast/telemetry";
import { jetstream, type JetStreamClient } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import type { ClaimedEvent } from "./outbox-statements.ts";

/**
 * Publishes events side by side. The server's answer means little (it syncs its files every two minutes), but without
 * an answer the event certainly has to be sent again.
 *
 * @returns those that were not acknowledged, with one of the errors.
 */
export async function publishEvents(
  nats: NatsConnection,
  source: EventSource,
  events: ClaimedEvent[],
): Promise<{ failed: ClaimedEvent[]; error?: unknown }> {
  const client = jetstream(nats, { timeout: PUBLISH_TIMEOUT_MS });
  const results = await Promise.allSettled(events.map((event) => publishTraced(client, source, event)));
  const failed = events.filter((_, index) => results[index]!.status === "rejected");
  const rejection = results.find((result) => result.status === "rejected");
  return { failed, ...(rejection && { error: rejection.reason }) };
}

const PUBLISH_TIMEOUT_MS = 5_000;

/** Publishes in the trace of the request that made the event; the consumer continues that trace. */
async function publishTraced(
  client: JetStreamClient,
  source: EventSource,
  event: ClaimedEvent,
): Promise<void> {
  if (event.traceparent === null) return await publish(client, source, event, null);
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
    const traceparent = span.isRecording() ? formatTraceparent(span.spanContext()) : event.traceparent;
    await publish(client, source, event, traceparent);
  });
}

async function publish(
  client: JetStreamClient,
  source: EventSource,
  event: ClaimedEvent,
  traceparent: string | null,
): Promise<void> {
  await client.publish(eventSubject(source), JSON.stringify(message(source, event)), {
    // The id includes the attempt: the server remembers ids for its whole window and would drop a copy that is published
    // because the first was lost.
    msgID: `${event.event_id}:${event.publish_attempts}`,
    headers: headersOf(traceparent),
    // One more copy does no harm, and the outbox repeats what is lost.
    retries: 1,
  });
}

function message(source: EventSource, event: ClaimedEvent): StatusChangedEvent {
  return {
    eventId: event.event_id,
    eventType: event.event_type as StatusChangedEvent["eventType"],
    source,
    merchantId: event.merchant_id,
    paymentId: event.payment_id,
    status: event.status,
    body: event.body.toString("base64"),
    ...(event.settling !== null && { settling: event.settling }),
  };
}

function headersOf(traceparent: string | null) {
  const result = headers();
  if (traceparent !== null) result.set(TRACEPARENT_HEADER, traceparent);
  return result;
}
