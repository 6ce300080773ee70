import { appendAudit, staffOf } from "@holdfast/audit";
import type { OperatorContext, WebhookManagers } from "@holdfast/contracts";
import type { Transaction } from "kysely";
import type { WebhooksDatabase } from "../database.ts";
import type { EndpointName } from "../endpoint/endpoint-queries.ts";

/**
 * The actor of an audited action: an operator, a person of the merchant's staff, or the merchant with an API
 * key.
 */
export type AuditedContext = Pick<OperatorContext, "requestId"> & {
  operator: Pick<OperatorContext["operator"], "name" | "staffOf">;
  /** True if an API key has asked. */
  byKey?: true;
};

/** A merchant's own request, with an API key. */
export function byMerchant(requestId: string, merchantId: string): AuditedContext {
  return { requestId, operator: { name: `merchant ${merchantId}` }, byKey: true };
}

/** The kind of caller who makes the change. */
export function changerOf({ operator, byKey }: AuditedContext): WebhookManagers {
  if (byKey) return "api";
  return operator.staffOf === undefined ? "operators" : "staff";
}

/** A line about an endpoint, whose subject is the merchant. */
export function auditEndpoint(
  trx: Transaction<WebhooksDatabase>,
  context: AuditedContext,
  action: string,
  { merchantId, endpointId }: EndpointName,
  detail: Record<string, unknown>,
): Promise<void> {
  return audit(trx, context, action, merchantId, {
    ...detail,
    endpointId,
  });
}

export function audit(
  trx: Transaction<WebhooksDatabase>,
  { operator, requestId }: AuditedContext,
  action: string,
  subject: string,
  detail: Record<string, unknown>,
): Promise<void> {
  return appendAudit(trx, {
    actor: operator.name,
    action,
    subject,
    detail: { ...detail, requestId, ...staffOf(operator) },
  });
}
