import { confirmEvents, type EventSource } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import type { Pool } from "pg";
import { confirm } from "./outbox-statements.ts";

/** The owner's side of a confirmation: the dispatcher has committed these events, so their rows are closed. */
export function confirmEventsHandler(source: EventSource, pool: Pool) {
  return handler(confirmEvents[source], async ({ payload }) => {
    await confirm(pool, payload.eventIds);
    return { outcome: "done", result: {} };
  });
}
