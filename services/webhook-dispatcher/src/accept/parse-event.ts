import { createHash } from "node:crypto";
import {
  merchantEventSchema,
  sourceOfSubject,
  statusChangedEventSchema,
  typesOfSource,
  type MerchantEvent,
} from "@holdfast/contracts";
import type { PulledEvent } from "@holdfast/outbox";
import { z } from "zod";

/** An event with its body decoded. */
export type IncomingEvent = Omit<MerchantEvent, "body"> & { body: Buffer; traceparent: string | null };

/**
 * Reads an event. The bus lets no other service publish under the owner's subject, so the subject proves an
 * event's source, and the content only claims it.
 *
 * @param traceparent the span in which it is accepted.
 * @returns the reason, as a text, if it is not an event.
 */
export function parseEvent(
  { content, subject }: Pick<PulledEvent, "content" | "subject">,
  traceparent: string | null,
): IncomingEvent | string {
  if (content === undefined) return "not JSON";
  const parsed = merchantEventSchema.safeParse(content);
  if (!parsed.success) {
    return parsed.error.issues
      .map(({ path, code, message }) => `${path.join(".") || "event"}: ${code}, ${message}`)
      .join("; ");
  }
  const event = { ...parsed.data, body: Buffer.from(parsed.data.body, "base64"), traceparent };
  return forgery(event, subject) ?? event;
}

/** The reason, if its source cannot have written the event. */
function forgery(event: IncomingEvent, subject: string): string | undefined {
  const { source, eventType } = event;
  if (sourceOfSubject(subject) !== source) return `source: ${source} does not publish under ${subject}`;
  if (!typesOfSource(source).some((type) => type === eventType))
    return `eventType: ${source} has no ${eventType}`;
  // Payments and refunds share a type, and merchants tell them apart by the body.
  if (source === "refunds" && !isOfRefund(event)) return "body: not that of this refund";
  return undefined;
}

function isOfRefund({ body, paymentId }: IncomingEvent): boolean {
  try {
    return refundBodySchema.safeParse(JSON.parse(body.toString())).data?.paymentId === paymentId;
  } catch {
    return false;
  }
}

const refundBodySchema = z.object({ transactionType: z.literal("REFUND"), paymentId: z.string() });

export type EventIdentity = Pick<MerchantEvent, "eventId" | "source">;

/**
 * @returns the id of the event, even if the event is malformed; undefined if it has none, or belongs to
 * another service.
 */
export function identifyEvent({
  content,
  subject,
}: Pick<PulledEvent, "content" | "subject">): EventIdentity | undefined {
  const identity = identitySchema.safeParse(content).data;
  return identity && identity.source === sourceOfSubject(subject) ? identity : undefined;
}

const identitySchema = statusChangedEventSchema.pick({ eventId: true, source: true });

/** A key that is the same for each copy of a message: the event's id or, without one, a hash of its bytes. */
export function messageKey(pulled: Pick<PulledEvent, "content" | "subject" | "bytes">): string {
  const identity = identifyEvent(pulled);
  if (identity) return `event:${identity.eventId}`;
  return `sha256:${createHash("sha256").update(pulled.bytes()).digest("hex")}`;
}

/** The time of the event, in epoch milliseconds: a UUIDv7 begins with 48 bits of them. */
export function timeOfEvent({ eventId }: Pick<EventIdentity, "eventId">): number {
  return Number.parseInt(eventId.replace("-", "").slice(0, 12), 16);
}
