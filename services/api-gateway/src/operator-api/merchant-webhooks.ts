import { operations, PAYMENT_STATUS_CHANGED } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import type { Kysely } from "kysely";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import { inMode } from "../endpoint/forward.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import { findMerchant } from "../merchant/merchant-queries.ts";

type Deps = { send: SendOperatorCommand; db: Kysely<GatewayDatabase> };

/** The secrets of a merchant's webhook endpoints cross the bus sealed to the request, and are shown here once. */
export function merchantWebhookRoutes({ send, db }: Deps): Route[] {
  return [
    defineRoute(operations.createMerchantWebhook, async (call) => {
      const { merchantId } = call.path;
      if (!(await findMerchant(db, merchantId))) return new Refusal("merchant_not_found");
      const recipient = createReplyRecipient();
      const { url, events = [PAYMENT_STATUS_CHANGED] } = call.body;
      const asked = { ...inMode(call), url, events, recipientKey: recipient.publicKey };
      const reply = await send(operations.createMerchantWebhook.command, call, asked);
      if (!("result" in reply)) return refusalOf(reply);
      const { endpoint, secret } = reply.result;
      return { status: 201, body: { ...endpoint, secret: recipient.open(secret) } };
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
