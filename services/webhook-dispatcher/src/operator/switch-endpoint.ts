import type { OperatorContext } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely, type Transaction } from "kysely";
import type { EndpointState, WebhooksDatabase } from "../database.ts";
import { endAs, ROUND_MAX } from "../delivery/reap-deliveries.ts";
import {
  lockEndpoint,
  updateEndpoint,
  type EndpointName,
  type EndpointRow,
} from "../endpoint/endpoint-queries.ts";
import { auditEndpoint, warnOthers, type ManageEndpointDeps } from "./manage-endpoint.ts";

/**
 * Endpoints are switched off and on by one row: deliveries are accepted and kept as before, and no claim takes any for an
 * endpoint that is off. Each change and its audit entry are one transaction (docs/adr/0068).
 */
export type Switching = EndpointName & {
  enabled: boolean;
  /** What becomes of the events of that time, where it is switched off. */
  whileOff?: "wait" | "skip" | undefined;
  /** What becomes of those that wait, where it is switched on. */
  waiting?: Choice | undefined;
};

type Choice = "deliver" | "discard";

/** @returns the endpoint as it is now; undefined where there is none. */
export async function switchEndpoint(
  deps: ManageEndpointDeps,
  context: OperatorContext,
  asked: Switching,
): Promise<EndpointRow | undefined> {
  const wanted = stateFor(asked);
  const choice = asked.waiting ?? "deliver";
  const prepared = wanted === "on" ? await prepareWaiting(deps, asked, choice) : 0;
  return await deps.db.transaction().execute(async (trx) => {
    const before = await lockEndpoint(trx, asked);
    if (!before || before.state === wanted) return before;
    if (wanted === "on") return await switchOn(deps, trx, context, before, { choice, prepared });
    await updateEndpoint(trx, before.endpoint_id, { state: wanted });
    await auditEndpoint(trx, context, "webhook.switched_off", asked, { whileOff: asked.whileOff });
    if (before.state === "on") await warnOthers(deps, trx, before, "SWITCHED_OFF");
    return { ...before, state: wanted };
  });
}

function stateFor({ enabled, whileOff }: Switching): Exclude<EndpointState, "removed"> {
  if (enabled) return "on";
  return whileOff === "skip" ? "skipping" : "waiting";
}

async function switchOn(
  deps: ManageEndpointDeps,
  trx: Transaction<WebhooksDatabase>,
  context: OperatorContext,
  endpoint: EndpointRow,
  { choice, prepared }: { choice: Choice; prepared: number },
): Promise<EndpointRow> {
  const {
    clock,
    limits: { windowMs },
  } = deps;
  const name = { merchantId: endpoint.merchant_id, endpointId: endpoint.endpoint_id };
  // Some may have come since the last round.
  const discarded = prepared + (await prepareRound(trx, name, choice, clock.shiftMs));
  // The owner's request begins a window of its own, as a resend by hand does.
  const changes = { state: "on", attempts_until: new Date(clock.databaseNow() + windowMs) } as const;
  await updateEndpoint(trx, name.endpointId, changes);
  const detail = { waiting: choice, ...(choice === "discard" && { discarded }) };
  await auditEndpoint(trx, context, "webhook.switched_on", name, detail);
  await warnOthers(deps, trx, endpoint, "SWITCHED_ON");
  return { ...endpoint, ...changes };
}

/**
 * Prepares what waits in rounds, since there may be hundreds of thousands, while the endpoint is still off and none of
 * it is claimed. If the process dies meanwhile, the endpoint stays off, and its owner asks again.
 *
 * @returns how many deliveries were changed.
 */
async function prepareWaiting(
  { db, clock }: ManageEndpointDeps,
  name: EndpointName,
  choice: Choice,
): Promise<number> {
  if (choice === "deliver") await dropExtras(db, name);
  for (let prepared = 0; ;) {
    const round = await prepareRound(db, name, choice, clock.shiftMs);
    prepared += round;
    if (round < ROUND_MAX) return prepared;
  }
}

async function prepareRound(
  db: Kysely<WebhooksDatabase>,
  name: EndpointName,
  choice: Choice,
  shiftMs: number,
): Promise<number> {
  return await (choice === "discard" ? discard : bringForward)(db, name, shiftMs);
}

/** Only while it is off: somebody else may have switched it on with another choice. */
const deliveriesOfOff = ({ merchantId, endpointId }: EndpointName) => sql`
  from endpoint join delivery using (endpoint_id)
  where endpoint_id = ${endpointId} and merchant_id = ${merchantId} and state in ('waiting', 'skipping')`;

/** Leased ones, too: the process that was sending one may have died, and its lease must not bring it back. */
async function discard(db: Kysely<WebhooksDatabase>, name: EndpointName, shiftMs: number): Promise<number> {
  const chosen = sql`
    select delivery_id ${deliveriesOfOff(name)}
    order by event_id limit ${ROUND_MAX} for update of delivery`;
  return await endAs(db, "cancelled", chosen, shiftMs);
}

/** What waits for a later attempt is due now, as what was never attempted is. Its attempts keep their numbers. */
async function bringForward(
  db: Kysely<WebhooksDatabase>,
  name: EndpointName,
  shiftMs: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update delivery set due_at = ${fromNow(shiftMs)}
    where delivery_id in (
      select delivery_id ${deliveriesOfOff(name)} and lease_token is null and due_at > ${fromNow(shiftMs)}
      order by due_at limit ${ROUND_MAX} for update of delivery)`.execute(db);
  return Number(numAffectedRows);
}

/** Each event that waits is sent once: a resend by hand beside it would be a second time. */
async function dropExtras(db: Kysely<WebhooksDatabase>, name: EndpointName): Promise<void> {
  await sql`
    delete from delivery where delivery_id in (
      select delivery_id ${deliveriesOfOff(name)} and trigger = 'manual' and lease_token is null
        and exists (
          select from delivery as scheduled
          where scheduled.endpoint_id = delivery.endpoint_id and scheduled.event_id = delivery.event_id
            and scheduled.trigger = 'schedule'))`.execute(db);
}
