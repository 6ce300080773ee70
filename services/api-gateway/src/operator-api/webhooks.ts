import { idInMode, livemodeOf, operations } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import type { Kysely } from "kysely";
import type { GatewayDatabase } from "../database.ts";
import { operatorAnswer, refusalOf, operatorResult } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { inMode } from "../endpoint/forward.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import type { ListDeps } from "../lists/list-route.ts";
import { definePagedListRoute } from "../lists/paged-list-route.ts";
import { namedPage } from "../merchant/merchant-names.ts";
import { findMerchant } from "../merchant/merchant-queries.ts";

type Deps = { send: SendOperatorCommand; db: Kysely<GatewayDatabase>; lists: ListDeps };

/** Everything operators do with webhooks. */
export function webhookRoutes(deps: Deps): Route[] {
  return [...endpointRoutes(deps), ...deliveryRoutes(deps)];
}

/** A merchant's default endpoint. Its secrets cross the bus sealed to the request, and are shown here once. */
function endpointRoutes({ send, db }: Omit<Deps, "lists">): Route[] {
  return [
    defineRoute(operations.putMerchantWebhook, async (call) => {
      const { merchantId } = call.path;
      if (!(await findMerchant(db, merchantId))) return new Refusal("merchant_not_found");
      const recipient = createReplyRecipient();
      const { url } = call.body;
      const reply = await send(operations.putMerchantWebhook.command, call, {
        ...inMode(call),
        url,
        recipientKey: recipient.publicKey,
      });
      if (!("result" in reply)) return refusalOf(reply);
      const { secret } = reply.result;
      return secret === undefined
        ? { status: 200, body: { url } }
        : { status: 201, body: { url, secret: recipient.open(secret) } };
    }),
    defineRoute(operations.deleteMerchantWebhook, async (call) => {
      const reply = await send(operations.removeMerchantWebhook.command, call, defaultEndpoint(call));
      return "result" in reply ? { status: 204 } : refusalOf(reply);
    }),
    defineRoute(operations.rotateMerchantWebhookSecret, async (call) => {
      const recipient = createReplyRecipient();
      const asked = { ...defaultEndpoint(call), recipientKey: recipient.publicKey };
      const reply = await send(operations.rotateWebhookEndpointSecret.command, call, asked);
      if (!("result" in reply)) return refusalOf(reply);
      const { secret, activatesAt } = reply.result;
      return { status: 200, body: { secret: recipient.open(secret), activatesAt } };
    }),
    defineRoute(operations.activateMerchantWebhookSecret, async (call) => {
      const reply = await send(operations.activateWebhookEndpointSecret.command, call, defaultEndpoint(call));
      return "result" in reply ? { status: 204 } : refusalOf(reply);
    }),
    // 200 whether or not the event was delivered: the body says how it went.
    defineRoute(operations.testMerchantWebhook, async (call) => {
      const reply = await send(operations.testWebhookEndpoint.command, call, defaultEndpoint(call));
      return operatorAnswer(200, reply);
    }),
  ];
}

/** The endpoint whose id is the merchant's. */
function defaultEndpoint(call: { path: { merchantId: string }; query: object }) {
  const { merchantId } = inMode(call);
  return { merchantId, endpointId: merchantId };
}

/** The delivery log. */
function deliveryRoutes({ send, db, lists }: Deps): Route[] {
  return [
    defineRoute(operations.redeliverFailedWebhooks, async (call) => {
      const { merchantId, livemode = true, ...more } = call.body;
      call.exchange.merchantId = merchantId;
      const asked = { ...more, merchantId: idInMode(merchantId, livemode) };
      const reply = await send(operations.redeliverFailedWebhooks.command, call, asked);
      return operatorAnswer(202, reply);
    }),
    definePagedListRoute(operations.listWebhookDeliveries, lists, (call, asked) => {
      const { livemode: mode, merchantId, ...more } = asked;
      const livemode = livemodeOf(mode);
      const ofMerchant = merchantId !== undefined && { merchantId: idInMode(merchantId, livemode) };
      const filter = { ...more, ...ofMerchant, livemode };
      return {
        name: "webhook-deliveries",
        audience: call.caller.subject,
        async read(page) {
          const reply = await send(operations.listWebhookDeliveries.command, call, { ...filter, ...page });
          return await namedPage(db, operatorResult(reply));
        },
      };
    }),
  ];
}
