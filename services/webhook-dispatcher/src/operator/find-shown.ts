import type { Kysely } from "kysely";
import type { WebhooksDatabase } from "../database.ts";
import {
  findEvents,
  type LogFilter,
  type LoggedEvent,
  type LogPage,
  type LogPosition,
} from "./delivery-log-queries.ts";

/**
 * Finds events that were neither skipped nor cancelled. No index leaves these out, and a merchant without an
 * endpoint has no others, so it reads past them up to a bound. The list continues there, on a page with few
 * or no rows.
 *
 * @returns `readTo` if the bound or the end of the page was reached before the end of the log.
 */
export async function findShown(
  db: Kysely<WebhooksDatabase>,
  filter: LogFilter,
  page: LogPage,
): Promise<{ events: LoggedEvent[]; readTo?: LogPosition | undefined }> {
  const events: LoggedEvent[] = [];
  let { before } = page;
  let read = 0;
  while (events.length < page.limit && read < READ_MAX) {
    const limit = read === 0 ? page.limit : Math.max(page.limit, READ_AT_A_TIME);
    const found = await findEvents(db, filter, { limit, before });
    events.push(...found.filter(isShown));
    const last = found.at(-1);
    if (last === undefined || found.length < limit) return { events };
    before = { eventId: last.event_id };
    read += limit;
  }
  return { events, readTo: before };
}

function isShown({ outcome }: LoggedEvent): boolean {
  return outcome !== "skipped" && outcome !== "cancelled";
}

const READ_AT_A_TIME = 200;
const READ_MAX = 2_000;
