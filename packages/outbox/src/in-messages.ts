import type { ClaimedEvent } from "./outbox-statements.ts";

/**
 * Divides events among messages. At more than some payments a second several leave together, since each message costs
 * the bus, the dispatcher and settlement the same with any content. An event that is published again is alone in its
 * message: its list may be the reason why it was not accepted.
 */
export function inMessages(events: ClaimedEvent[]): ClaimedEvent[][] {
  const alone = events.filter(({ publish_attempts }) => publish_attempts > 1);
  const messages = alone.map((event) => [event]);
  let list: ClaimedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    if (event.publish_attempts > 1) continue;
    if (list.length > 0 && (list.length === EVENTS_MAX || bytes + event.body.length > BODIES_MAX)) {
      messages.push(list);
      list = [];
      bytes = 0;
    }
    list.push(event);
    bytes += event.body.length;
  }
  return list.length > 0 ? [...messages, list] : messages;
}

/** The most events in one message. */
const EVENTS_MAX = 32;

/** Bytes of the bodies in one list. A reader holds some hundred messages, and nats-server takes none above a megabyte. */
const BODIES_MAX = 64 * 1_024;
