import { eventSubject, type EventSource, type StatusChangedEvent } from "@holdfast/contracts";
import { TRACEPARENT_HEADER } from "@holdfast/messaging";
import { jetstream } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import type { ClaimedEvent } from "./outbox-queries.ts";

/**
 * Publishes events side by side. The server's answer means little (it syncs its files every two minutes), but one that
 * does not come means the event certainly has to be sent again.
 *
 * @returns the ids of those that were not acknowledged, with one of the errors.
 */
export async function publishEvents(
  nats: NatsConnection,
  source: EventSource,
  events: ClaimedEvent[],
): Promise<{ failed: string[]; error?: unknown }> {
  const client = jetstream(nats, { timeout: PUBLISH_TIMEOUT_MS });
  const results = await Promise.allSettled(
    events.map((event) =>
      client.publish(eventSubject(source), JSON.stringify(message(source, event)), {
        // The attempt belongs to it: the server remembers ids for its whole window and would swallow the second copy.
        msgID: `${event.event_id}:${event.publish_attempts}`,
        headers: headersOf(event),
        // A copy more is nothing, and the outbox repeats what is lost.
        retries: 1,
      }),
    ),
  );
  const failed = events.filter((_, index) => results[index]!.status === "rejected");
  const rejection = results.find((result) => result.status === "rejected");
  return { failed: failed.map(({ event_id }) => event_id), ...(rejection && { error: rejection.reason }) };
}

const PUBLISH_TIMEOUT_MS = 5_000;

function message(source: EventSource, event: ClaimedEvent): StatusChangedEvent {
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

function headersOf({ traceparent }: ClaimedEvent) {
  const result = headers();
  if (traceparent !== null) result.set(TRACEPARENT_HEADER, traceparent);
  return result;
}
