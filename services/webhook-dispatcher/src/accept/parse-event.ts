import { createHash } from "node:crypto";
import { merchantEventSchema, statusChangedEventSchema, type MerchantEvent } from "@holdfast/contracts";
import type { JsMsg } from "@nats-io/jetstream";

/** An event with its body decoded. */
export type IncomingEvent = Omit<MerchantEvent, "body"> & { body: Buffer; traceparent: string | null };

/**
 * @param traceparent of the span in which it is accepted.
 * @returns the reason, as a text, when the message is not an event.
 */
export function parseEvent(message: Pick<JsMsg, "json">, traceparent: string | null): IncomingEvent | string {
  let content: unknown;
  try {
    content = message.json();
  } catch {
    return "not JSON";
  }
  const parsed = merchantEventSchema.safeParse(content);
  if (!parsed.success) {
    return parsed.error.issues
      .map(({ path, code, message }) => `${path.join(".") || "event"}: ${code}, ${message}`)
      .join("; ");
  }
  return {
    ...parsed.data,
    body: Buffer.from(parsed.data.body, "base64"),
    traceparent,
  };
}

/** What identifies an event, without the rest of it. */
export type EventIdentity = Pick<MerchantEvent, "eventId" | "source">;

/** @returns which event a message is about, though it may be no event; undefined when it does not say. */
export function identifyEvent(message: Pick<JsMsg, "json">): EventIdentity | undefined {
  try {
    return identitySchema.safeParse(message.json()).data;
  } catch {
    return undefined;
  }
}

const identitySchema = statusChangedEventSchema.pick({ eventId: true, source: true });

/** The same for each copy of a message: the event's id, or, of a message without one, a hash of its bytes. */
export function messageKey(message: Pick<JsMsg, "json" | "data">): string {
  const identity = identifyEvent(message);
  if (identity) return `event:${identity.eventId}`;
  return `sha256:${createHash("sha256").update(message.data).digest("hex")}`;
}

/** When the event happened, in epoch milliseconds: a UUIDv7 begins with 48 bits of them. */
export function timeOfEvent({ eventId }: Pick<EventIdentity, "eventId">): number {
  return Number.parseInt(eventId.replace("-", "").slice(0, 12), 16);
}
