import {
  operations,
  PAYMENT_STATUS_CHANGED,
  type EventType,
  type WebhookEndpoint,
} from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import type { DispatcherHarness } from "./dispatcher-harness.ts";

type Harness = Pick<DispatcherHarness, "operate">;

/** Asks for another endpoint. */
export async function askForEndpoint(
  { operate }: Harness,
  merchantId: string,
  { url, events = [PAYMENT_STATUS_CHANGED] }: { url: string; events?: EventType[] },
) {
  const recipient = createReplyRecipient();
  const reply = await operate(operations.createMerchantWebhook.command, {
    merchantId,
    url,
    events,
    recipientKey: recipient.publicKey,
  });
  return { reply, recipient };
}

/** Adds another endpoint. @returns its id and secret. */
export async function addEndpoint(
  harness: Harness,
  merchantId: string,
  given: { url: string; events?: EventType[] },
): Promise<{ endpointId: string; secret: string }> {
  const { reply, recipient } = await askForEndpoint(harness, merchantId, given);
  if (reply.outcome !== "done") throw new Error(`not added: ${JSON.stringify(reply)}`);
  const { endpoint, secret } = reply.result;
  return { endpointId: endpoint.endpointId, secret: recipient.open(secret) };
}

export async function endpointsOf({ operate }: Harness, merchantId: string): Promise<WebhookEndpoint[]> {
  const reply = await operate(operations.listMerchantWebhooks.command, { merchantId });
  if (reply.outcome !== "done") throw new Error(`not listed: ${JSON.stringify(reply)}`);
  return reply.result.items;
}
