import { statusChangedEventSchema, type StatusChangedEvent } from "@holdfast/contracts";
import type { JsMsg } from "@nats-io/jetstream";

/** An event with its body decoded. */
export type IncomingEvent = Omit<StatusChangedEvent, "body"> & { body: Buffer; traceparent: string | null };

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
  const parsed = statusChangedEventSchema.safeParse(content);
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
