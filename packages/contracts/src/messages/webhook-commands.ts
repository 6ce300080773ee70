import { z } from "zod";
import { EVENT_SOURCES, type EventSource } from "../event-types.ts";
import { defineServiceCommand } from "./message.ts";

/** The commands to the webhook dispatcher, and its answers to the owners of the events. */

/**
 * Names the events of an owner that the dispatcher does not have. Older events than `keptSince` are not missing, since
 * its retention drops them.
 */
export const findMissingEvents = defineServiceCommand({
  service: "webhooks",
  senders: EVENT_SOURCES,
  name: "missing-events",
  work: "read",
  request: z.object({ eventIds: z.array(z.uuid()).max(1_000) }),
  result: z.object({ missing: z.array(z.uuid()), keptSince: z.iso.datetime() }),
});

/** Confirms to an owner that these events are committed at the dispatcher; only this closes their outbox rows. */
export const confirmEvents = Object.fromEntries(
  EVENT_SOURCES.map((source) => [source, confirmEventsOf(source)]),
) as Record<EventSource, ReturnType<typeof confirmEventsOf>>;

function confirmEventsOf(source: EventSource) {
  return defineServiceCommand({
    service: source,
    senders: ["webhook-dispatcher"],
    name: "confirm-events",
    work: "write",
    request: z.object({ eventIds: z.array(z.uuid()).max(1_000) }),
    result: z.object({}),
  });
}
