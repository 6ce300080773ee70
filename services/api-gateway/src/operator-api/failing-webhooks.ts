import { operations } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { findMerchantNames } from "../merchant/merchant-queries.ts";

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
    const names = await findMerchantNames(
      db,
      items.map(({ merchantId }) => merchantId),
    );
    const named = items.map((item) => {
      const merchantName = names.get(item.merchantId);
      return { ...item, ...(merchantName !== undefined && { merchantName }) };
    });
    return { status: 200, body: { items: named, total } };
  });
}
