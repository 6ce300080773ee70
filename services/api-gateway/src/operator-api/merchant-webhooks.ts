import {
  activateWebhookEndpointSecret,
  activateWebhookSecret,
  changeMerchantWebhook,
  changeWebhookEndpoint,
  createMerchantWebhook,
  createWebhookEndpoint,
  idInMode,
  listMerchantWebhooks,
  listWebhookEndpoints,
  livemodeOf,
  PAYMENT_STATUS_CHANGED,
  removeMerchantWebhook,
  removeWebhookEndpoint,
  rotateWebhookEndpointSecret,
  rotateWebhookSecret,
  testWebhook,
  testWebhookEndpoint,
} from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import type { Kysely } from "kysely";
import { operatorAnswer, operatorRefusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import { findMerchant } from "../merchant/merchant-queries.ts";

/** An endpoint gets the events of one mode: services keep those of test mode under another id of the merchant. */
export function inMode<Path extends { merchantId: string }>({
  path,
  query,
}: {
  path: Path;
  query: { livemode?: "true" | "false" | undefined };
}): Path {
  return { ...path, merchantId: idInMode(path.merchantId, livemodeOf(query.livemode)) };
}

type Deps = { send: SendOperatorCommand; db: Kysely<GatewayDatabase> };

/** A merchant's webhook endpoints, of which there may be several. Secrets cross the bus sealed to the request. */
export function merchantWebhookRoutes({ send, db }: Deps): Route[] {
  return [
    defineRoute(listMerchantWebhooks, async (call) => {
      if (!(await findMerchant(db, call.path.merchantId))) return new Refusal("merchant_not_found");
      const reply = await send(listWebhookEndpoints, call, inMode(call));
      return operatorAnswer(200, reply);
    }),
    defineRoute(createMerchantWebhook, async (call) => {
      const { merchantId } = call.path;
      if (!(await findMerchant(db, merchantId))) return new Refusal("merchant_not_found");
      const recipient = createReplyRecipient();
      const { url, events = [PAYMENT_STATUS_CHANGED] } = call.body;
      const asked = { ...inMode(call), url, events, recipientKey: recipient.publicKey };
      const reply = await send(createWebhookEndpoint, call, asked);
      if (!("result" in reply)) return operatorRefusalOf(reply);
      const { endpoint, secret } = reply.result;
      return { status: 201, body: { ...endpoint, secret: recipient.open(secret) } };
    }),
    defineRoute(changeMerchantWebhook, async (call) => {
      const reply = await send(changeWebhookEndpoint, call, { ...inMode(call), ...call.body });
      return operatorAnswer(200, reply);
    }),
    defineRoute(removeMerchantWebhook, async (call) => {
      const reply = await send(removeWebhookEndpoint, call, inMode(call));
      return "result" in reply ? { status: 204 } : operatorRefusalOf(reply);
    }),
    ...secretRoutes({ send }),
    // 200 whether or not the event was delivered: the body says how it went.
    defineRoute(testWebhookEndpoint, async (call) => {
      const reply = await send(testWebhook, call, inMode(call));
      return operatorAnswer(200, reply);
    }),
  ];
}

function secretRoutes({ send }: Pick<Deps, "send">): Route[] {
  return [
    defineRoute(rotateWebhookEndpointSecret, async (call) => {
      const recipient = createReplyRecipient();
      const asked = { ...inMode(call), recipientKey: recipient.publicKey };
      const reply = await send(rotateWebhookSecret, call, asked);
      if (!("result" in reply)) return operatorRefusalOf(reply);
      const { secret, activatesAt } = reply.result;
      return { status: 200, body: { secret: recipient.open(secret), activatesAt } };
    }),
    defineRoute(activateWebhookEndpointSecret, async (call) => {
      const reply = await send(activateWebhookSecret, call, inMode(call));
      return "result" in reply ? { status: 204 } : operatorRefusalOf(reply);
    }),
  ];
}
