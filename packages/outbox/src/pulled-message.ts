import { eventListSchema } from "@holdfast/contracts";
import { contentOf, TRACEPARENT_HEADER } from "@holdfast/messaging";
import type { JsMsg } from "@nats-io/jetstream";

/** One event of a message, which its reader ends with `ack` or `term`. */
export type PulledEvent = {
  subject: string;
  /** The message's place in the stream, which a list's events share. */
  sequence: number;
  /** The owner's content, which may be no event; undefined when the message is not JSON. */
  content: unknown;
  /** W3C trace context of the request that made it. */
  traceparent: string | undefined;
  /** The bytes that it was sent as; of a list's event, its JSON. */
  bytes(): Uint8Array;
  ack(): void;
  /** Ends the message, so that it does not come again although it was not accepted. */
  term(reason: string): void;
};

/** A message of the stream with its events, one or several. */
export type PulledMessage = {
  sequence: number;
  events: PulledEvent[];
  /** Extends the stream's wait for the acknowledgement. */
  working(): void;
};

/**
 * Reads a message. A list is acknowledged once each of its events has ended in either way: its reader has seen a
 * refused one by then, and the owner publishes that one again by itself. Until then the stream delivers the whole list
 * again.
 */
export function readMessage(
  message: Pick<JsMsg, "data" | "headers" | "subject" | "seq" | "ack" | "term" | "working"> & {
    json(): unknown;
  },
): PulledMessage {
  const content = contentOf(message);
  const place = { subject: message.subject, sequence: message.seq };
  const listed = listIn(content);
  let left = listed?.length ?? 0;
  const end = () => {
    if (--left === 0) message.ack();
  };
  return {
    sequence: message.seq,
    working: () => message.working(),
    events: listed?.map((event) => ({
      ...place,
      content: event,
      traceparent: traceparentIn(event),
      bytes: () => Buffer.from(JSON.stringify(event)),
      ack: end,
      term: end,
    })) ?? [
      {
        ...place,
        content,
        traceparent: message.headers?.get(TRACEPARENT_HEADER),
        bytes: () => message.data,
        ack: () => message.ack(),
        term: (reason) => message.term(reason),
      },
    ],
  };
}

function listIn(content: unknown): unknown[] | undefined {
  if (typeof content !== "object" || content === null || !("events" in content)) return undefined;
  return eventListSchema.safeParse(content).data?.events;
}

function traceparentIn(event: unknown): string | undefined {
  if (typeof event !== "object" || event === null || !("traceparent" in event)) return undefined;
  return typeof event.traceparent === "string" ? event.traceparent : undefined;
}
