import { operations, PAYMENT_STATUS_CHANGED } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import { refusalOf } from "../bus/command-answer.ts";
import { sealWebhookHeaders } from "../bus/seal-webhook-headers.ts";
import type { SendCommand } from "../bus/send-command.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";

type Deps = { send: SendCommand };

/**
 * A merchant's own webhook endpoints. The dispatcher decides whether its keys may change them. Secrets cross the bus
 * sealed to the request, headers sealed to the dispatcher.
 */
export function ownWebhookRoutes({ send }: Deps): Route[] {
  const list = (call: Parameters<SendCommand>[1]) => send(operations.listWebhooks.command, call, {});
  return [
    defineRoute(operations.listWebhooks, async (call) => {
      const reply = await list(call);
      if (!("result" in reply)) return refusalOf(reply);
      const { sealTo: _key, ...body } = reply.result;
      return { status: 200, body };
    }),
    defineRoute(operations.createWebhook, async (call) => {
      const recipient = createReplyRecipient();
      const { url, events = [PAYMENT_STATUS_CHANGED], headers } = call.body;
      const sealed = await sealWebhookHeaders(() => list(call), {
        for: call.caller.merchantId,
        url,
        headers,
      });
      if (sealed instanceof Refusal) return sealed;
      const asked = { url, events, ...sealed, recipientKey: recipient.publicKey };
      const reply = await send(operations.createWebhook.command, call, asked);
      if (!("result" in reply)) return refusalOf(reply);
      const { endpoint, secret } = reply.result;
      return { status: 201, body: { ...endpoint, secret: recipient.open(secret) } };
    }),
    defineRoute(operations.changeWebhook, async (call) => {
      const { headers, ...change } = call.body;
      const about = { for: call.path.endpointId, url: change.url, headers };
      const sealed = await sealWebhookHeaders(() => list(call), about);
      if (sealed instanceof Refusal) return sealed;
      const asked = { ...call.path, ...change, ...sealed };
      const reply = await send(operations.changeWebhook.command, call, asked);
      return "result" in reply ? { status: 200, body: reply.result } : refusalOf(reply);
    }),
    defineRoute(operations.getWebhookHealth, async (call) => {
      const reply = await send(operations.getWebhookHealth.command, call, call.path);
      return "result" in reply ? { status: 200, body: reply.result } : refusalOf(reply);
    }),
    defineRoute(operations.removeWebhook, async (call) => {
      const reply = await send(operations.removeWebhook.command, call, call.path);
      return "result" in reply ? { status: 204 } : refusalOf(reply);
    }),
    defineRoute(operations.rotateWebhookSecret, async (call) => {
      const recipient = createReplyRecipient();
      const asked = { ...call.path, recipientKey: recipient.publicKey };
      const reply = await send(operations.rotateWebhookSecret.command, call, asked);
      if (!("result" in reply)) return refusalOf(reply);
      const { secret, activatesAt } = reply.result;
      return { status: 200, body: { secret: recipient.open(secret), activatesAt } };
    }),
    defineRoute(operations.activateWebhookSecret, async (call) => {
      const reply = await send(operations.activateWebhookSecret.command, call, call.path);
      return "result" in reply ? { status: 204 } : refusalOf(reply);
    }),
    // 200 whether or not the event was delivered: the body says how it went.
    defineRoute(operations.testWebhook, async (call) => {
      const reply = await send(operations.testWebhook.command, call, call.path);
      return "result" in reply ? { status: 200, body: reply.result } : refusalOf(reply);
    }),
  ];
}
