import { randomUUIDv7 } from "node:crypto";
import type {
  CommandReply,
  operations,
  OperatorContext,
  SealedReply,
  WebhookEndpoint,
} from "@holdfast/contracts";
import { sealReply } from "@holdfast/sealing";
import type { Transaction } from "kysely";
import type { z } from "zod";
import type { WebhooksDatabase } from "../database.ts";
import { describeEndpoint } from "../endpoint/describe-endpoint.ts";
import {
  findEndpointsOf,
  insertEndpoint,
  lockEndpoint,
  lockEndpointsOf,
  updateEndpoint,
  type EndpointRow,
} from "../endpoint/endpoint-queries.ts";
import { encryptSecret, generateSecret } from "../endpoint/endpoint-secrets.ts";
import { readHealth } from "../endpoint/health-queries.ts";
import { urlRefusal } from "./endpoint-url.ts";
import { switchEndpoint } from "./switch-endpoint.ts";
import {
  auditEndpoint,
  isCopy,
  isUrlInUse,
  latestSecret,
  NOT_FOUND,
  URL_IN_USE,
  type ManageEndpointDeps,
} from "./manage-endpoint.ts";

/**
 * Operators give a merchant several endpoints and choose the events of each. Each change and its audit entry are one
 * transaction.
 */
export type MerchantEndpointsDeps = ManageEndpointDeps & {
  /** `endpointsMax`: most endpoints of one merchant, its default one included. `eventDays`: days that events are kept. */
  limits: { endpointsMax: number; eventDays: number };
  /** Called when deliveries are due now. */
  nudge: () => void;
};

/** A merchant's endpoints with their health. */
export async function listEndpoints(
  { db, clock, limits: { eventDays } }: Pick<MerchantEndpointsDeps, "db" | "clock" | "limits">,
  merchantId: string,
): Promise<CommandReply<{ items: WebhookEndpoint[] }>> {
  const rows = await findEndpointsOf(db, merchantId);
  const health = await readHealth(
    db,
    rows.map(({ endpoint_id }) => endpoint_id),
  );
  const terms = { now: new Date(clock.databaseNow()), eventDays };
  return {
    outcome: "done",
    result: { items: rows.map((row) => describeEndpoint(row, health.get(row.endpoint_id), terms)) },
  };
}

type Created = { endpoint: WebhookEndpoint; secret: SealedReply };

/** Adds an endpoint beside those that the merchant has. */
export async function createEndpoint(
  deps: MerchantEndpointsDeps,
  context: OperatorContext,
  { recipientKey, ...given }: z.infer<typeof operations.createMerchantWebhook.command.request>,
): Promise<CommandReply<Created>> {
  const refusal = await urlRefusal(deps.urls, given.url);
  if (refusal) return refusal;
  const made = await deps.db.transaction().execute((trx) => addEndpoint(deps, trx, context, given));
  if ("outcome" in made) return made;
  const terms = { now: new Date(deps.clock.databaseNow()), eventDays: deps.limits.eventDays };
  return {
    outcome: "done",
    result: {
      endpoint: describeEndpoint(made.endpoint, undefined, terms),
      secret: sealReply(recipientKey, made.secret),
    },
  };
}

type Given = Omit<z.infer<typeof operations.createMerchantWebhook.command.request>, "recipientKey">;

async function addEndpoint(
  deps: MerchantEndpointsDeps,
  trx: Transaction<WebhooksDatabase>,
  context: OperatorContext,
  { merchantId, url, events }: Given,
): Promise<{ endpoint: EndpointRow; secret: string } | Extract<CommandReply<never>, { outcome: "problem" }>> {
  await lockEndpointsOf(trx, merchantId);
  const existing = await findEndpointsOf(trx, merchantId);
  const made = existing.find((each) => each.endpoint_id !== merchantId && isCopy(each, context));
  if (made) return { endpoint: made, secret: latestSecret(deps, made) };
  if (await isUrlInUse(trx, { merchantId, url, exceptOf: undefined })) return URL_IN_USE;
  if (existing.length >= deps.limits.endpointsMax) {
    const detail = `A merchant has at most ${deps.limits.endpointsMax} webhook endpoints`;
    return { outcome: "problem", code: "too_many_webhooks", detail };
  }
  const endpointId = randomUUIDv7();
  const secret = generateSecret();
  const endpoint = await insertEndpoint(trx, {
    endpoint_id: endpointId,
    merchant_id: merchantId,
    url,
    events,
    secret: encryptSecret(deps.secretKeys, endpointId, secret),
    secret_request_id: context.requestId,
  });
  await auditEndpoint(trx, context, "webhook.endpoint_added", { merchantId, endpointId }, { url, events });
  return { endpoint, secret };
}

/** Changes an endpoint's URL, or the events that it gets from now on, or switches it off or on. */
export async function changeEndpoint(
  deps: MerchantEndpointsDeps,
  context: OperatorContext,
  asked: z.infer<typeof operations.changeMerchantWebhook.command.request>,
): Promise<CommandReply<WebhookEndpoint>> {
  const { merchantId, endpointId, url, events } = asked;
  const refusal = url === undefined ? undefined : await urlRefusal(deps.urls, url);
  if (refusal) return refusal;
  const name = { merchantId, endpointId };
  const changed = await deps.db.transaction().execute(async (trx) => {
    await lockEndpointsOf(trx, merchantId);
    const before = await lockEndpoint(trx, name);
    if (!before) return NOT_FOUND;
    if (url !== undefined && (await isUrlInUse(trx, { merchantId, url, exceptOf: endpointId }))) {
      return URL_IN_USE;
    }
    const after = { url: url ?? before.url, events: events ?? before.events };
    const from = { url: before.url, events: before.events };
    if (JSON.stringify(after) === JSON.stringify(from)) return before;
    await updateEndpoint(trx, endpointId, after);
    await auditEndpoint(trx, context, "webhook.endpoint_changed", name, { from, to: after });
    return { ...before, ...after };
  });
  if ("outcome" in changed) return changed;
  const { enabled } = asked;
  const endpoint =
    enabled === undefined ? changed : await switchEndpoint(deps, context, { ...asked, enabled });
  if (!endpoint) return NOT_FOUND;
  if (enabled) deps.nudge();
  const health = await readHealth(deps.db, [endpointId]);
  const terms = { now: new Date(deps.clock.databaseNow()), eventDays: deps.limits.eventDays };
  return { outcome: "done", result: describeEndpoint(endpoint, health.get(endpointId), terms) };
}
