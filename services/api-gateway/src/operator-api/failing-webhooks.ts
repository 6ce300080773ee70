import { operations } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { withMerchantNames } from "../merchant/merchant-names.ts";

/** Lists late webhooks with reasons: the dispatcher knows the endpoints, and the gateway the merchants' names. */
export function failingWebhooksRoute({
  send,
  db,
}: {
  send: SendOperatorCommand;
  db: Kysely<GatewayDatabase>;
}): Route {
  return defineRoute(operations.listFailingWebhooks, async (call) => {
    const reply = await send(operations.listFailingWebhooks.command, call, {});
    if (!("result" in reply)) return refusalOf(reply);
    const { items, total } = reply.result;
    return { status: 200, body: { items: await withMerchantNames(db, items), total } };
  });
}
