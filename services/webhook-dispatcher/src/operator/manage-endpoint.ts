import type { CommandReply, SealedReply } from "@holdfast/contracts";
import { sealReply } from "@holdfast/sealing";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Kysely, Transaction } from "kysely";
import type { Clock } from "../clock.ts";
import type { WebhooksDatabase } from "../database.ts";
import {
  activateNextSecret,
  enableEndpoint,
  findEndpointsOf,
  lockEndpoint,
  setNextSecret,
  updateEndpoint,
  wasRemoved,
  type EndpointName,
  type EndpointRow,
} from "../endpoint/endpoint-queries.ts";
import { decideHeaders } from "../endpoint/endpoint-headers.ts";
import { decryptSecret, generateSecret, encryptSecret } from "../endpoint/endpoint-secrets.ts";
import { prepareWaiting } from "../delivery/prepare-waiting.ts";
import { auditEndpoint, type AuditedContext } from "./audit-endpoint.ts";
import { beginChange, beginChangeOf } from "./management.ts";
import { invalid, urlRefusal, type UrlDeps } from "./endpoint-url.ts";
import { reportChange, warnOthers, type ReportDeps } from "./report-change.ts";

/**
 * Operators add and remove a merchant's default endpoint and rotate the secrets of all endpoints. The merchant's staff and
 * API keys do the same if the merchant's setting allows them to. Each change and its audit entry
 * are one transaction. A secret is in the answer to the request that generated it and nowhere else; a copy of that request,
 * sent again because the bus broke, gets the same answer.
 */
export type ManageEndpointDeps = {
  /** The URLs that an endpoint may have. */
  urls: UrlDeps;
  db: Kysely<WebhooksDatabase>;
  secretKeys: KeyRing;
  clock: Clock;
  limits: ReportDeps["limits"] & { activateAfterMs: number };
};

type Reply<Result> = CommandReply<Result>;
type Nothing = Record<string, never>;
export type Recipient = { recipientKey: string };

/** Adds the default endpoint, or changes its URL. */
export async function putEndpoint(
  deps: ManageEndpointDeps,
  context: AuditedContext,
  { merchantId, url, recipientKey }: Recipient & { merchantId: string; url: string },
): Promise<Reply<{ url: string; secret?: SealedReply | undefined }>> {
  const refusal = await urlRefusal(deps.urls, url);
  if (refusal) return refusal;
  const change = await deps.db.transaction().execute(async (trx) => {
    const refused = await beginChange(trx, context, merchantId);
    if (refused) return refused;
    const name = { merchantId, endpointId: merchantId };
    const endpoint = await lockEndpoint(trx, name);
    if (await isUrlInUse(trx, { merchantId, url, exceptOf: merchantId })) return URL_IN_USE;
    if (endpoint) {
      if (endpoint.url !== url) {
        const fault = decideHeaders({ ring: deps.secretKeys, before: endpoint, url, asked: undefined });
        if (fault && !Array.isArray(fault)) return invalid(fault);
        await updateEndpoint(trx, merchantId, { url, version: endpoint.version + 1 });
        await auditEndpoint(trx, context, "webhook.url_changed", name, { from: endpoint.url, to: url });
        await reportChange(deps, trx, context, endpoint, { change: "CHANGED", fields: ["url"] });
      }
      return { secret: isCopy(endpoint, context) ? latestSecret(deps, endpoint) : undefined };
    }
    // Deliveries to an endpoint that was removed are cancelled, and must not reach the new one first.
    await prepareWaiting(trx, name, "discard", deps.clock.shiftMs);
    const secret = generateSecret();
    const encrypted = encryptSecret(deps.secretKeys, merchantId, secret);
    await enableEndpoint(trx, { merchantId, url, secret: encrypted, requestId: context.requestId });
    await auditEndpoint(trx, context, "webhook.turned_on", name, { url });
    await reportChange(
      deps,
      trx,
      context,
      { merchant_id: merchantId, endpoint_id: merchantId },
      { change: "ADDED" },
    );
    return { secret };
  });
  if ("outcome" in change) return change;
  const { secret } = change;
  return {
    outcome: "done",
    result: { url, ...(secret !== undefined && { secret: sealReply(recipientKey, secret) }) },
  };
}

/** Finds the URL, however written, at another endpoint of the merchant: it would get each event twice. */
export async function isUrlInUse(
  trx: Transaction<WebhooksDatabase>,
  { merchantId, url, exceptOf }: { merchantId: string; url: string; exceptOf: string | undefined },
): Promise<boolean> {
  const called = asCalled(url);
  const endpoints = await findEndpointsOf(trx, merchantId);
  return endpoints.some((each) => each.endpoint_id !== exceptOf && asCalled(each.url) === called);
}

/** The normal form of a URL, as a caller reads it: a host has no capitals, 443 is no port, and `/a/../b` is `/b`. */
function asCalled(url: string): string {
  return new URL(url).href;
}

export const URL_IN_USE = { outcome: "problem", code: "webhook_url_in_use" } as const;

/**
 * Removes an endpoint. The reaper cancels the deliveries that are still open, and the other endpoints get a warning.
 */
export async function deleteEndpoint(
  deps: ManageEndpointDeps,
  context: AuditedContext,
  name: EndpointName,
): Promise<Reply<Nothing>> {
  return await deps.db.transaction().execute(async (trx) => {
    const endpoint = await beginChangeOf(trx, context, name);
    if (!endpoint) return (await wasRemoved(trx, name)) ? DONE : NOT_FOUND;
    if ("outcome" in endpoint) return endpoint;
    await updateEndpoint(trx, endpoint.endpoint_id, { state: "removed", headers: null, header_names: [] });
    await auditEndpoint(trx, context, "webhook.turned_off", name, { url: endpoint.url });
    await warnOthers(deps, trx, context, endpoint, "TURNED_OFF");
    return DONE;
  });
}

const DONE = { outcome: "done", result: {} } as const;

/** Generates a new secret beside the one that signs. */
export async function rotateSecret(
  deps: ManageEndpointDeps,
  context: AuditedContext,
  { recipientKey, ...name }: Recipient & EndpointName,
): Promise<Reply<{ secret: SealedReply; activatesAt: string }>> {
  const rotated = await deps.db.transaction().execute(async (trx) => {
    const endpoint = await beginChangeOf(trx, context, name);
    if (!endpoint) return NOT_FOUND;
    if ("outcome" in endpoint) return endpoint;
    if (isCopy(endpoint, context) && endpoint.activates_at) {
      return { secret: latestSecret(deps, endpoint), activatesAt: endpoint.activates_at };
    }
    if (isNextSecretDue(endpoint, deps.clock)) await activateNextSecret(trx, endpoint);
    const secret = generateSecret();
    const { version, activatesAt } = await setNextSecret(trx, endpoint.endpoint_id, {
      secret: encryptSecret(deps.secretKeys, endpoint.endpoint_id, secret),
      requestId: context.requestId,
      activateAfterMs: deps.limits.activateAfterMs,
      shiftMs: deps.clock.shiftMs,
    });
    await auditEndpoint(trx, context, "webhook.secret_rotated", name, { version });
    await reportChange(deps, trx, context, endpoint, { change: "SECRET_ROTATED" });
    return { secret, activatesAt };
  });
  if ("outcome" in rotated) return rotated;
  const { secret, activatesAt } = rotated;
  return {
    outcome: "done",
    result: { secret: sealReply(recipientKey, secret), activatesAt: activatesAt.toISOString() },
  };
}

/** Makes the new secret the only one, when the merchant has it in place. */
export async function activateSecret(
  deps: ManageEndpointDeps,
  context: AuditedContext,
  name: EndpointName,
): Promise<Reply<Nothing>> {
  return await deps.db.transaction().execute(async (trx) => {
    const endpoint = await beginChangeOf(trx, context, name);
    if (!endpoint) return NOT_FOUND;
    if ("outcome" in endpoint) return endpoint;
    if (endpoint.next_secret !== null) {
      await activateNextSecret(trx, endpoint);
      await auditEndpoint(trx, context, "webhook.secret_activated", name, { version: endpoint.next_version });
      await reportChange(deps, trx, context, endpoint, { change: "SECRET_ACTIVATED" });
    }
    return DONE;
  });
}

export const NOT_FOUND = { outcome: "problem", code: "webhook_not_found" } as const;

/** True if this is a repetition of the request that created the endpoint's latest secret. */
export function isCopy(endpoint: EndpointRow, { requestId }: Pick<AuditedContext, "requestId">): boolean {
  return endpoint.secret_request_id === requestId;
}

export function latestSecret(
  { secretKeys }: Pick<ManageEndpointDeps, "secretKeys">,
  { endpoint_id, next_secret, secret }: EndpointRow,
): string {
  return decryptSecret(secretKeys, endpoint_id, next_secret ?? secret);
}

function isNextSecretDue({ activates_at }: EndpointRow, clock: Clock): boolean {
  return activates_at !== null && activates_at.getTime() <= clock.databaseNow();
}
