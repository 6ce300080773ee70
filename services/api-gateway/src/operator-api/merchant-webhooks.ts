import { operations, PAYMENT_STATUS_CHANGED } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import type { Kysely } from "kysely";
import { operatorAnswer, refusalOf } from "../bus/command-answer.ts";
import { sealWebhookHeaders } from "../bus/seal-webhook-headers.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import { inMode } from "../endpoint/forward.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import { findMerchant } from "../merchant/merchant-queries.ts";

type Deps = { send: SendOperatorCommand; db: Kysely<GatewayDatabase> };

/**
 * A merchant's webhook endpoints. Their secrets cross the bus sealed to the request, and are shown here once; headers
 * cross it sealed to the dispatcher.
 */
export function merchantWebhookRoutes({ send, db }: Deps): Route[] {
  const list = (call: Call) =>
    send(operations.listMerchantWebhooks.command, call, { merchantId: inMode(call).merchantId });
  return [
    defineRoute(operations.listMerchantWebhooks, async (call) => {
      if (!(await findMerchant(db, call.path.merchantId))) return new Refusal("merchant_not_found");
      const reply = await list(call);
      if (!("result" in reply)) return refusalOf(reply);
      const { sealTo: _key, ...body } = reply.result;
      return { status: 200, body };
    }),
    defineRoute(operations.createMerchantWebhook, async (call) => {
      const { merchantId } = call.path;
      if (!(await findMerchant(db, merchantId))) return new Refusal("merchant_not_found");
      const recipient = createReplyRecipient();
      const { url, events = [PAYMENT_STATUS_CHANGED], headers } = call.body;
      const owner = inMode(call);
      const sealed = await sealWebhookHeaders(() => list(call), { for: owner.merchantId, url, headers });
      if (sealed instanceof Refusal) return sealed;
      const asked = { ...owner, url, events, ...sealed, recipientKey: recipient.publicKey };
      const reply = await send(operations.createMerchantWebhook.command, call, asked);
      if (!("result" in reply)) return refusalOf(reply);
      const { endpoint, secret } = reply.result;
      return { status: 201, body: { ...endpoint, secret: recipient.open(secret) } };
    }),
    defineRoute(operations.changeMerchantWebhook, async (call) => {
      const { headers, ...change } = call.body;
      const sealed = await sealWebhookHeaders(() => list(call), {
        for: call.path.endpointId,
        url: change.url,
        headers,
      });
      if (sealed instanceof Refusal) return sealed;
      const asked = { ...inMode(call), ...change, ...sealed };
      return operatorAnswer(200, await send(operations.changeMerchantWebhook.command, call, asked));
    }),
    defineRoute(operations.rotateWebhookEndpointSecret, async (call) => {
      const recipient = createReplyRecipient();
      const asked = { ...inMode(call), recipientKey: recipient.publicKey };
      const reply = await send(operations.rotateWebhookEndpointSecret.command, call, asked);
      if (!("result" in reply)) return refusalOf(reply);
      const { secret, activatesAt } = reply.result;
      return { status: 200, body: { secret: recipient.open(secret), activatesAt } };
    }),
  ];
}

type Call = Parameters<SendOperatorCommand>[1] & { path: { merchantId: string }; query: object };
