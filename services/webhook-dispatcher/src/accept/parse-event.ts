import { createHash } from "node:crypto";
import { merchantEventSchema, statusChangedEventSchema, type MerchantEvent } from "@holdfast/contracts";
import type { PulledEvent } from "@holdfast/outbox";

/** An event with its body decoded. */
export type IncomingEvent = Omit<MerchantEvent, "body"> & { body: Buffer; traceparent: string | null };

/**
 * @param traceparent of the span in which it is accepted.
 * @returns the reason, as a text, when it is not an event.
 */
export function parseEvent(
  { content }: Pick<PulledEvent, "content">,
  traceparent: string | null,
): IncomingEvent | string {
  if (content === undefined) return "not JSON";
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

export type EventIdentity = Pick<MerchantEvent, "eventId" | "source">;

/** @returns which event it is, though it may be no whole one; undefined when it does not say. */
export function identifyEvent({ content }: Pick<PulledEvent, "content">): EventIdentity | undefined {
  return identitySchema.safeParse(content).data;
}

const identitySchema = statusChangedEventSchema.pick({ eventId: true, source: true });

/** The same for each copy: the event's id, or, without one, a hash of its bytes. */
export function messageKey(pulled: Pick<PulledEvent, "content" | "bytes">): string {
  const identity = identifyEvent(pulled);
  if (identity) return `event:${identity.eventId}`;
  return `sha256:${createHash("sha256").update(pulled.bytes()).digest("hex")}`;
}

/** The time of the event, in epoch milliseconds: a UUIDv7 begins with 48 bits of them. */
export function timeOfEvent({ eventId }: Pick<EventIdentity, "eventId">): number {
  return Number.parseInt(eventId.replace("-", "").slice(0, 12), 16);
}
