import { WEBHOOK_HOURS_DAYS, type CommandReply, type WebhookHour } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import type { Kysely } from "kysely";
import type { Clock } from "../clock.ts";
import type { WebhooksDatabase } from "../database.ts";
import { describeHours } from "../endpoint/describe-hours.ts";
import { findEndpoint, type EndpointName } from "../endpoint/endpoint-queries.ts";
import { NOT_FOUND } from "./manage-endpoint.ts";

type Deps = { db: Kysely<WebhooksDatabase>; clock: Pick<Clock, "shiftMs"> };

/** An endpoint's health by the hour, as its attempts were counted when they were recorded. */
export async function readHours(
  { db, clock }: Deps,
  name: EndpointName,
): Promise<CommandReply<{ items: WebhookHour[] }>> {
  if (!(await findEndpoint(db, name))) return NOT_FOUND;
  const counts = await db
    .selectFrom("endpoint_hour")
    .select(["hour", "result", "duration_bucket", "count"])
    .where("endpoint_id", "=", name.endpointId)
    .where("hour", ">", fromNow(clock.shiftMs - WEBHOOK_HOURS_DAYS * DAY_MS))
    .execute();
  return { outcome: "done", result: { items: describeHours(counts) } };
}

const DAY_MS = 86_400_000;
