import { randomUUIDv7 } from "node:crypto";
import {
  isLive,
  WEBHOOK_TEST,
  type ApiPaymentResponse,
  type CommandReply,
  type WebhookTestResult,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { WebhooksDatabase } from "../database.ts";
import { signAndPost, snippetText, type DeliverDeps } from "../delivery/deliver.ts";
import { findEndpoint, type EndpointName } from "../endpoint/endpoint-queries.ts";
import { signingSecrets } from "../endpoint/endpoint-secrets.ts";
import { auditEndpoint, NOT_FOUND, type AuditedContext } from "./manage-endpoint.ts";

/**
 * Sends an endpoint one signed event of a special type, now and once, whatever the state of its breaker, and
 * returns the result. The body has the form of a real one and its status is FAILED: a merchant that ignores the type
 * ships nothing.
 */
export async function sendTestEvent(
  deps: Pick<DeliverDeps, "client" | "clock" | "secretKeys"> & { db: Kysely<WebhooksDatabase> },
  context: AuditedContext,
  name: EndpointName,
): Promise<CommandReply<WebhookTestResult>> {
  const eventId = randomUUIDv7();
  const endpoint = await deps.db.transaction().execute(async (trx) => {
    const found = await findEndpoint(trx, name);
    if (found?.enabled) await auditEndpoint(trx, context, "webhook.tested", name, { eventId });
    return found;
  });
  if (!endpoint?.enabled) return NOT_FOUND;
  const body = Buffer.from(JSON.stringify(testRecord(new Date(deps.clock.now()), endpoint.merchant_id)));
  const secrets = signingSecrets(endpoint, new Date(deps.clock.databaseNow()));
  const message = { endpointId: endpoint.endpoint_id, eventId, eventType: WEBHOOK_TEST, body };
  const { result } = await signAndPost(deps, endpoint.url, secrets, message);
  const { statusCode, error, durationMs } = result;
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

function testRecord(now: Date, merchantId: string): ApiPaymentResponse {
  return {
    paymentId: randomUUIDv7(),
    livemode: isLive(merchantId),
    orderId: "webhook-test",
    amount: 1,
    installmentCount: 1,
    currency: "TRY",
    merchantCommission: 0,
    status: "FAILED",
    transactionType: "PAYMENT",
    paymentDate: now.toISOString(),
    cardHolderName: "Webhook Test",
    pan: "411111******1111",
    domInt: "DOM",
    cardScheme: "VISA",
    cardType: "CREDIT",
    cardSubType: "CLASSIC",
    resultCode: "webhook_test",
    resultMessage: "Test event; no payment was made",
  };
}
