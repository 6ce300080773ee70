import {
  operations,
  PAYMENT_STATUS_CHANGED,
  type EventType,
  type SealedReply,
  type SentWebhookHeaders,
  type WebhookEndpoint,
  type WebhookHeaders,
} from "@holdfast/contracts";
import { createReplyRecipient, sealReply } from "@holdfast/sealing";
import type { DispatcherHarness } from "./dispatcher-harness.ts";

type Harness = Pick<DispatcherHarness, "operate">;

type NewEndpoint = { url: string; events?: EventType[]; headers?: WebhookHeaders };

/** Seals headers to the dispatcher, as the gateway does. */
export async function sealHeaders({ operate }: Harness, content: SentWebhookHeaders): Promise<SealedReply> {
  const reply = await operate(operations.listMerchantWebhooks.command, { merchantId: content.for });
  if (reply.outcome !== "done" || !reply.result.sealTo) throw new Error(`no key: ${JSON.stringify(reply)}`);
  return sealReply(reply.result.sealTo, JSON.stringify(content));
}

/** Asks for another endpoint. */
export async function askForEndpoint(
  { operate }: Harness,
  merchantId: string,
  { url, events = [PAYMENT_STATUS_CHANGED], headers }: NewEndpoint,
) {
  const sealed = headers && (await sealHeaders({ operate }, { for: merchantId, url, headers }));
  const recipient = createReplyRecipient();
  const reply = await operate(operations.createMerchantWebhook.command, {
    merchantId,
    url,
    events,
    ...(sealed && { headers: sealed }),
    recipientKey: recipient.publicKey,
  });
  return { reply, recipient };
}

/** Adds another endpoint. @returns its id and secret. */
export async function addEndpoint(
  harness: Harness,
  merchantId: string,
  given: NewEndpoint,
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
