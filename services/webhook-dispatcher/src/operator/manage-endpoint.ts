import { appendAudit } from "@holdfast/audit";
import type { CommandReply, OperatorContext, SealedReply } from "@holdfast/contracts";
import { sealReply } from "@holdfast/sealing";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Kysely, Transaction } from "kysely";
import type { Clock } from "../clock.ts";
import type { WebhooksDatabase } from "../database.ts";
import { resolveTarget, type Lookup } from "../http-client/resolve-target.ts";
import { parseTarget, type TargetFault, type TargetRules } from "../http-client/webhook-target.ts";
import {
  activateNextSecret,
  changeUrl,
  disableEndpoint,
  enableEndpoint,
  lockEndpoint,
  setNextSecret,
  type EndpointRow,
} from "../endpoint/endpoint-queries.ts";
import { decryptSecret, generateSecret, encryptSecret } from "../endpoint/endpoint-secrets.ts";

/**
 * Operators turn a merchant's webhooks on and off and rotate their secret. Each change and its audit entry are one
 * transaction. A secret is in the answer to the request that generated it and nowhere else; a copy of that request,
 * sent again because the bus broke, gets the same answer.
 */
export type ManageEndpointDeps = {
  db: Kysely<WebhooksDatabase>;
  secretKeys: KeyRing;
  rules: TargetRules;
  lookup: Lookup;
  clock: Clock;
  activateAfterMs: number;
};

type Reply<Result> = CommandReply<Result>;
type Nothing = Record<string, never>;
type Recipient = { merchantId: string; recipientKey: string };

/** Turns webhooks on, or changes their URL. */
export async function putEndpoint(
  deps: ManageEndpointDeps,
  context: OperatorContext,
  { merchantId, url, recipientKey }: Recipient & { url: string },
): Promise<Reply<{ url: string; secret?: SealedReply | undefined }>> {
  const fault = await urlFault(deps, url);
  if (fault) return invalidUrl(fault);
  const secret = await deps.db.transaction().execute(async (trx) => {
    const endpoint = await lockEndpoint(trx, merchantId);
    if (endpoint?.enabled) {
      if (endpoint.url !== url) {
        await changeUrl(trx, merchantId, url);
        await audit(trx, context, "webhook.url_changed", merchantId, { from: endpoint.url, to: url });
      }
      return isCopy(endpoint, context) ? latestSecret(deps, endpoint) : undefined;
    }
    const generated = generateSecret();
    const encrypted = encryptSecret(deps.secretKeys, merchantId, generated);
    await enableEndpoint(trx, { merchantId, url, secret: encrypted, requestId: context.requestId });
    await audit(trx, context, "webhook.turned_on", merchantId, { url });
    return generated;
  });
  return {
    outcome: "done",
    result: { url, ...(secret !== undefined && { secret: sealReply(recipientKey, secret) }) },
  };
}

/** Turns webhooks off. The reaper cancels the deliveries that are still open. */
export async function deleteEndpoint(
  { db }: ManageEndpointDeps,
  context: OperatorContext,
  merchantId: string,
): Promise<Reply<Nothing>> {
  const found = await db.transaction().execute(async (trx) => {
    const endpoint = await lockEndpoint(trx, merchantId);
    if (!endpoint?.enabled) return endpoint !== undefined;
    await disableEndpoint(trx, merchantId);
    await audit(trx, context, "webhook.turned_off", merchantId, { url: endpoint.url });
    return true;
  });
  return found ? { outcome: "done", result: {} } : NOT_FOUND;
}

/** Generates a new secret beside the one that signs. */
export async function rotateSecret(
  deps: ManageEndpointDeps,
  context: OperatorContext,
  { merchantId, recipientKey }: Recipient,
): Promise<Reply<{ secret: SealedReply; activatesAt: string }>> {
  const rotated = await deps.db.transaction().execute(async (trx) => {
    const endpoint = await lockEndpoint(trx, merchantId);
    if (!endpoint?.enabled) return undefined;
    if (isCopy(endpoint, context) && endpoint.activates_at) {
      return { secret: latestSecret(deps, endpoint), activatesAt: endpoint.activates_at };
    }
    if (isNextSecretDue(endpoint, deps.clock)) await activateNextSecret(trx, endpoint);
    const secret = generateSecret();
    const { version, activatesAt } = await setNextSecret(trx, merchantId, {
      secret: encryptSecret(deps.secretKeys, merchantId, secret),
      requestId: context.requestId,
      activateAfterMs: deps.activateAfterMs,
      shiftMs: deps.clock.shiftMs,
    });
    await audit(trx, context, "webhook.secret_rotated", merchantId, { version });
    return { secret, activatesAt };
  });
  if (!rotated) return NOT_FOUND;
  const { secret, activatesAt } = rotated;
  return {
    outcome: "done",
    result: { secret: sealReply(recipientKey, secret), activatesAt: activatesAt.toISOString() },
  };
}

/** Makes the new secret the only one, when the merchant has it in place. */
export async function activateSecret(
  { db }: ManageEndpointDeps,
  context: OperatorContext,
  merchantId: string,
): Promise<Reply<Nothing>> {
  const found = await db.transaction().execute(async (trx) => {
    const endpoint = await lockEndpoint(trx, merchantId);
    if (!endpoint?.enabled) return false;
    if (endpoint.next_secret !== null) {
      await activateNextSecret(trx, endpoint);
      await audit(trx, context, "webhook.secret_activated", merchantId, { version: endpoint.next_version });
    }
    return true;
  });
  return found ? { outcome: "done", result: {} } : NOT_FOUND;
}

export const NOT_FOUND = { outcome: "problem", code: "webhook_not_found" } as const;

function isCopy(endpoint: EndpointRow, { requestId }: OperatorContext): boolean {
  return endpoint.secret_request_id === requestId;
}

function latestSecret(
  { secretKeys }: ManageEndpointDeps,
  { merchant_id, next_secret, secret }: EndpointRow,
): string {
  return decryptSecret(secretKeys, merchant_id, next_secret ?? secret);
}

function isNextSecretDue({ activates_at }: EndpointRow, clock: Clock): boolean {
  return activates_at !== null && activates_at.getTime() <= clock.databaseNow();
}

/**
 * A name that does not resolve yet is accepted: the attempts will show. One that leads to a forbidden address is
 * refused.
 */
async function urlFault(
  { rules, lookup }: ManageEndpointDeps,
  url: string,
): Promise<TargetFault | undefined> {
  const target = parseTarget(url, rules);
  if (typeof target === "string") return target;
  return (await resolveTarget(target, lookup, rules)) === "blocked" ? "address_not_allowed" : undefined;
}

function invalidUrl(code: TargetFault): Extract<Reply<never>, { outcome: "problem" }> {
  const errors = [{ field: "url", code, message: URL_FAULT_MESSAGES[code] }];
  return { outcome: "problem", code: "validation_failed", extra: { errors } };
}

const URL_FAULT_MESSAGES: Record<TargetFault, string> = {
  invalid_url: "must be a URL",
  not_https: "must begin with https://",
  has_credentials: "must not have a user or password",
  has_fragment: "must not have a fragment",
  port_not_allowed: "must have one of the allowed ports",
  address_not_allowed: "must be at a public address",
  too_long: "must have at most 2048 characters",
};

export function audit(
  trx: Transaction<WebhooksDatabase>,
  { operator, requestId }: OperatorContext,
  action: string,
  subject: string,
  detail: Record<string, unknown>,
): Promise<void> {
  return appendAudit(trx, { actor: operator.name, action, subject, detail: { ...detail, requestId } });
}
