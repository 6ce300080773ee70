import type { Transaction } from "kysely";
import type { EndpointState, WebhooksDatabase } from "../database.ts";
import { prepareWaiting, type WaitingChoice } from "../delivery/prepare-waiting.ts";
import { updateEndpoint, type EndpointName, type EndpointRow } from "../endpoint/endpoint-queries.ts";
import { auditEndpoint, type AuditedContext } from "./audit-endpoint.ts";
import { NOT_FOUND, type ManageEndpointDeps } from "./manage-endpoint.ts";
import { beginChangeOf, type NOT_ALLOWED } from "./management.ts";
import { warnOthers } from "./report-change.ts";

/**
 * Endpoints are switched off and on by one row: deliveries are accepted and kept as before, and no claim takes any for an
 * endpoint that is off. Each change and its audit entry are one transaction (docs/adr/0068).
 */
export type Switching = EndpointName & {
  enabled: boolean;
  /** The fate of the events of that time. Present where it is switched off. */
  whileOff?: "wait" | "skip" | undefined;
  /** The choice for waiting deliveries; only with a switch to on. */
  waiting?: WaitingChoice | undefined;
};

/** @returns the endpoint as it is now, or the refusal. */
export async function switchEndpoint(
  deps: ManageEndpointDeps,
  context: AuditedContext,
  asked: Switching,
): Promise<EndpointRow | typeof NOT_ALLOWED | typeof NOT_FOUND> {
  const wanted = stateFor(asked);
  const choice = asked.waiting ?? "deliver";
  // Prepares while the endpoint is still off. If the process dies meanwhile, it stays off, and its owner asks
  // again.
  const prepared = wanted === "on" ? await prepareWaiting(deps.db, asked, choice, deps.clock.shiftMs) : 0;
  return await deps.db.transaction().execute(async (trx) => {
    const before = await beginChangeOf(trx, context, asked);
    if (!before) return NOT_FOUND;
    if ("outcome" in before) return before;
    if (before.state === wanted) return before;
    if (wanted === "on") return await switchOn(deps, trx, context, before, { choice, prepared });
    await updateEndpoint(trx, before.endpoint_id, { state: wanted });
    await auditEndpoint(trx, context, "webhook.switched_off", asked, { whileOff: asked.whileOff });
    if (before.state === "on") await warnOthers(deps, trx, context, before, "SWITCHED_OFF");
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
  context: AuditedContext,
  endpoint: EndpointRow,
  { choice, prepared }: { choice: WaitingChoice; prepared: number },
): Promise<EndpointRow> {
  const {
    clock,
    limits: { windowMs },
  } = deps;
  const name = { merchantId: endpoint.merchant_id, endpointId: endpoint.endpoint_id };
  // Some deliveries may have come since the last round.
  const discarded = prepared + (await prepareWaiting(trx, name, choice, clock.shiftMs));
  // The owner's request begins a window of its own, as a resend by hand does.
  const changes = { state: "on", attempts_until: new Date(clock.databaseNow() + windowMs) } as const;
  await updateEndpoint(trx, name.endpointId, changes);
  const detail = { waiting: choice, ...(choice === "discard" && { discarded }) };
  await auditEndpoint(trx, context, "webhook.switched_on", name, detail);
  await warnOthers(deps, trx, context, endpoint, "SWITCHED_ON");
  return { ...endpoint, ...changes };
}
