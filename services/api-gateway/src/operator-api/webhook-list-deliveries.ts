import { listOperatorWebhookDeliveries, listWebhookDeliveries } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { defineRoute } from "../endpoint/route.ts";

/** GET /operator/webhook-deliveries: a page of the delivery log, newest first. */
export function listWebhookDeliveriesRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(listOperatorWebhookDeliveries, async (call) => {
    const { limit, ...filter } = call.query;
    const reply = await send(listWebhookDeliveries, call, {
      ...filter,
      limit: Number(limit ?? DEFAULT_LIMIT),
    });
    return "result" in reply
      ? { status: 200, body: reply.result }
      : operatorRefusalOf(reply, { reads: true });
  });
}

const DEFAULT_LIMIT = 50;
