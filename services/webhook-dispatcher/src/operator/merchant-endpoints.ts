import { randomUUIDv7 } from "node:crypto";
import type {
  CommandReply,
  ListedWebhooks,
  operations,
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
  updateEndpoint,
  type EndpointRow,
} from "../endpoint/endpoint-queries.ts";
import {
  decideHeaders,
  headerColumns,
  newHeaders,
  openSentHeaders,
  sealToOf,
  type EndpointHeader,
} from "../endpoint/endpoint-headers.ts";
import { encryptSecret, generateSecret } from "../endpoint/endpoint-secrets.ts";
import { readHealth } from "../endpoint/health-queries.ts";
import { invalid, urlRefusal } from "./endpoint-url.ts";
import { auditEndpoint, type AuditedContext } from "./audit-endpoint.ts";
import { beginChange, beginChangeOf, readManagement } from "./management.ts";
import { reportChange } from "./report-change.ts";
import { switchEndpoint } from "./switch-endpoint.ts";
import {
  isCopy,
  isUrlInUse,
  latestSecret,
  NOT_FOUND,
  URL_IN_USE,
  type ManageEndpointDeps,
} from "./manage-endpoint.ts";

/**
 * Operators give a merchant several endpoints and choose the events of each. The merchant's staff and API
 * keys can do so, too, if they may. Each change and its audit entry are one transaction.
 */
export type MerchantEndpointsDeps = ManageEndpointDeps & {
  /** `endpointsMax`: most endpoints of one merchant, its default one included. `eventDays`: days that events are kept. */
  limits: { endpointsMax: number; eventDays: number };
  /** Called when deliveries are due now. */
  nudge: () => void;
};

/** A merchant's endpoints with their health. */
export async function listEndpoints(
  {
    db,
    clock,
    secretKeys,
    limits: { eventDays },
  }: Pick<MerchantEndpointsDeps, "db" | "clock" | "secretKeys" | "limits">,
  merchantId: string,
): Promise<CommandReply<ListedWebhooks>> {
  const rows = await findEndpointsOf(db, merchantId);
  const health = await readHealth(
    db,
    rows.map(({ endpoint_id }) => endpoint_id),
  );
  const terms = { now: new Date(clock.databaseNow()), eventDays };
  return {
    outcome: "done",
    result: {
      items: rows.map((row) => describeEndpoint(row, health.get(row.endpoint_id), terms)),
      managedBy: await readManagement(db, merchantId),
      sealTo: sealToOf(secretKeys),
    },
  };
}

type Created = { endpoint: WebhookEndpoint; secret: SealedReply };

/** Adds an endpoint beside those that the merchant has. */
export async function createEndpoint(
  deps: MerchantEndpointsDeps,
  context: AuditedContext,
  { recipientKey, headers: sealed, ...asked }: CreateRequest,
): Promise<CommandReply<Created>> {
  const refusal = await urlRefusal(deps.urls, asked.url);
  if (refusal) return refusal;
  const sent = sealed && openSentHeaders(deps.secretKeys, sealed, asked.merchantId);
  if (sealed && !sent) return NOT_FOR_US;
  const headers = sent ? newHeaders(sent, asked.url) : [];
  if (!Array.isArray(headers)) return invalid(headers);
  const given = { ...asked, headers };
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

type Given = Pick<CreateRequest, "merchantId" | "url" | "events"> & { headers: EndpointHeader[] };
type CreateRequest = z.infer<typeof operations.createMerchantWebhook.command.request>;

async function addEndpoint(
  deps: MerchantEndpointsDeps,
  trx: Transaction<WebhooksDatabase>,
  context: AuditedContext,
  { merchantId, url, events, headers }: Given,
): Promise<{ endpoint: EndpointRow; secret: string } | Extract<CommandReply<never>, { outcome: "problem" }>> {
  const refused = await beginChange(trx, context, merchantId);
  if (refused) return refused;
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
    ...headerColumns(deps.secretKeys, endpointId, headers),
  });
  const detail = { url, events, headers: headers.map(({ name }) => name) };
  await auditEndpoint(trx, context, "webhook.endpoint_added", { merchantId, endpointId }, detail);
  await reportChange(deps, trx, context, endpoint, { change: "ADDED" });
  return { endpoint, secret };
}

/**
 * Changes an endpoint's URL, its headers, or the events that it gets from now on, or switches it off or on.
 * `version` is the version that its author has read, if known.
 */
export async function changeEndpoint(
  deps: MerchantEndpointsDeps,
  context: AuditedContext,
  asked: z.infer<typeof operations.changeMerchantWebhook.command.request>,
): Promise<CommandReply<WebhookEndpoint>> {
  const { merchantId, endpointId, version, url, events } = asked;
  const refusal = url === undefined ? undefined : await urlRefusal(deps.urls, url);
  if (refusal) return refusal;
  const headers = asked.headers && openSentHeaders(deps.secretKeys, asked.headers, endpointId);
  if (asked.headers && !headers) return NOT_FOR_US;
  const name = { merchantId, endpointId };
  const changed = await deps.db.transaction().execute(async (trx) => {
    const before = await beginChangeOf(trx, context, name);
    if (!before) return NOT_FOUND;
    if ("outcome" in before) return before;
    const after = { url: url ?? before.url, events: events ?? before.events };
    const ring = deps.secretKeys;
    const decided = decideHeaders({ ring, before, url: after.url, asked: headers });
    const columns = Array.isArray(decided) ? headerColumns(ring, endpointId, decided) : undefined;
    const row = { ...before, ...after, ...columns, version: before.version + 1 };
    const [from, to] = [before, row].map(describeChanged);
    // A copy of a request that was carried out is no older change.
    if (!decided && JSON.stringify(from) === JSON.stringify(to)) return before;
    if (version !== undefined && version !== before.version) return CHANGED;
    if (url !== undefined && (await isUrlInUse(trx, { merchantId, url, exceptOf: endpointId })))
      return URL_IN_USE;
    if (decided && !Array.isArray(decided)) return invalid(decided);
    await updateEndpoint(trx, endpointId, { ...after, ...columns, version: row.version });
    const values = columns && { headerValues: "given" };
    await auditEndpoint(trx, context, "webhook.endpoint_changed", name, { from, to, ...values });
    await reportChange(deps, trx, context, before, { change: "CHANGED", fields: changedFields(before, row) });
    return row;
  });
  if ("outcome" in changed) return changed;
  const { enabled } = asked;
  const endpoint =
    enabled === undefined ? changed : await switchEndpoint(deps, context, { ...asked, enabled });
  if ("outcome" in endpoint) return endpoint;
  if (enabled) deps.nudge();
  const health = await readHealth(deps.db, [endpointId]);
  const terms = { now: new Date(deps.clock.databaseNow()), eventDays: deps.limits.eventDays };
  return { outcome: "done", result: describeEndpoint(endpoint, health.get(endpointId), terms) };
}

const CHANGED = { outcome: "problem", code: "changed_since_read" } as const;

/** The changeable parts of an endpoint as the audit log has them: of headers the names. */
function describeChanged({ url, events, header_names: headers }: EndpointRow) {
  return { url, events, headers };
}

/** The parts that are different, or may be: a header's value is not compared. */
function changedFields(before: EndpointRow, after: EndpointRow) {
  return (["url", "events", "headers"] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
}

/** A caller of ours sealed them to a key that left the ring meanwhile. Nothing was done. */
const NOT_FOR_US = { outcome: "not_started" } as const;
