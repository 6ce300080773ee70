import { randomUUIDv7 } from "node:crypto";
import {
  isLive,
  WEBHOOK_TEST,
  type CommandReply,
  type WebhookTestBody,
  type WebhookTestResult,
} from "@holdfast/contracts";
import { signAndPost, snippetText, type DeliverDeps } from "../delivery/deliver.ts";
import { findEndpoint, type EndpointName } from "../endpoint/endpoint-queries.ts";
import { signingSecrets } from "../endpoint/endpoint-secrets.ts";
import { readHealth } from "../endpoint/health-queries.ts";
import { queueWaiting } from "../delivery/queue-waiting.ts";
import type { RedeliverDeps } from "./redeliver.ts";
import { auditEndpoint, type AuditedContext } from "./audit-endpoint.ts";
import { NOT_FOUND } from "./manage-endpoint.ts";

/**
 * Sends an endpoint one signed event of a special type, immediately and once, even if the endpoint is off or
 * its circuit breaker is open, and returns the result. The body is no payment: a merchant that ignores the
 * type finds no status in it and ships nothing.
 */
export async function sendTestEvent(
  deps: Pick<DeliverDeps, "client" | "clock" | "openSecrets"> & RedeliverDeps,
  context: AuditedContext,
  name: EndpointName,
): Promise<CommandReply<WebhookTestResult>> {
  const eventId = randomUUIDv7();
  const endpoint = await deps.db.transaction().execute(async (trx) => {
    const found = await findEndpoint(trx, name);
    if (found) await auditEndpoint(trx, context, "webhook.tested", name, { eventId });
    return found;
  });
  if (!endpoint) return NOT_FOUND;
  const sentAt = new Date(deps.clock.now()).toISOString();
  const content: WebhookTestBody = {
    test: true,
    endpointId: endpoint.endpoint_id,
    livemode: isLive(endpoint.merchant_id),
    sentAt,
  };
  const body = Buffer.from(JSON.stringify(content));
  const secrets = signingSecrets(endpoint, new Date(deps.clock.databaseNow()));
  const message = { endpointId: endpoint.endpoint_id, eventId, eventType: WEBHOOK_TEST, body };
  const { result } = await signAndPost(deps, endpoint.url, secrets, message);
  const { statusCode, error, durationMs } = result;
  if (error === undefined) await sendWhatWaits(deps, endpoint.endpoint_id);
  const responseSnippet = snippetText(result.snippet);
  return {
    outcome: "done",
    result: {
      eventId,
      delivered: error === undefined,
      durationMs,
      ...(statusCode !== undefined && { statusCode }),
      ...(error !== undefined && { error }),
      ...(responseSnippet !== null && { responseSnippet }),
    },
  };
}

/** An endpoint that was failing works again. */
async function sendWhatWaits({ db, clock, nudge }: RedeliverDeps, endpointId: string): Promise<void> {
  const health = (await readHealth(db, [endpointId])).get(endpointId);
  const isFailing = Boolean(health?.failing_since ?? health?.breaker_open);
  if (isFailing && (await queueWaiting(db, [endpointId], clock.shiftMs)) > 0) nudge();
}
