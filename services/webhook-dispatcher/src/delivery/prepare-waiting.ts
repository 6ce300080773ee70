import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import type { WebhooksDatabase } from "../database.ts";
import type { EndpointName } from "../endpoint/endpoint-queries.ts";
import { endAs, ROUND_MAX } from "./reap-deliveries.ts";

type Db = Kysely<WebhooksDatabase>;

/** The fate of the deliveries that wait for an endpoint that is off. */
export type WaitingChoice = "deliver" | "discard";

/**
 * Prepares the waiting deliveries of an endpoint that is off or removed, so that none of them is claimed
 * meanwhile. It works in rounds, since there may be hundreds of thousands.
 *
 * @returns the number of changed deliveries.
 */
export async function prepareWaiting(
  db: Db,
  name: EndpointName,
  choice: WaitingChoice,
  shiftMs: number,
): Promise<number> {
  if (choice === "deliver") await dropExtras(db, name);
  for (let prepared = 0; ;) {
    const round = await (choice === "discard" ? discard : bringForward)(db, name, shiftMs);
    prepared += round;
    if (round < ROUND_MAX) return prepared;
  }
}

/** Only while the endpoint is off: somebody else may have switched it on with another choice. */
const deliveriesOfOff = ({ merchantId, endpointId }: EndpointName) => sql`
  from endpoint join delivery using (endpoint_id)
  where endpoint_id = ${endpointId} and merchant_id = ${merchantId} and state <> 'on'`;

/** Leased ones, too: the process that was sending one may have died, and its lease must not bring it back. */
async function discard(db: Db, name: EndpointName, shiftMs: number): Promise<number> {
  const chosen = sql`
    select delivery_id ${deliveriesOfOff(name)}
    order by event_id limit ${ROUND_MAX} for update of delivery`;
  return await endAs(db, "cancelled", chosen, shiftMs);
}

/** Makes later attempts due now, as first ones are. They keep their numbers. */
async function bringForward(db: Db, name: EndpointName, shiftMs: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update delivery set due_at = ${fromNow(shiftMs)}
    where delivery_id in (
      select delivery_id ${deliveriesOfOff(name)} and lease_token is null and due_at > ${fromNow(shiftMs)}
      order by due_at limit ${ROUND_MAX} for update of delivery)`.execute(db);
  return Number(numAffectedRows);
}

/** Drops resends by hand of events that wait by the schedule, so that each event is sent once. */
async function dropExtras(db: Db, name: EndpointName): Promise<void> {
  await sql`
    delete from delivery where delivery_id in (
      select delivery_id ${deliveriesOfOff(name)} and trigger = 'manual' and lease_token is null
        and exists (
          select from delivery as scheduled
          where scheduled.endpoint_id = delivery.endpoint_id and scheduled.event_id = delivery.event_id
            and scheduled.trigger = 'schedule'))`.execute(db);
}
