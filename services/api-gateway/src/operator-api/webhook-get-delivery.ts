import { getOperatorWebhookDelivery, getWebhookDelivery } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { defineRoute } from "../endpoint/route.ts";

/** GET /operator/webhook-deliveries/{eventId}: one event with its attempts. */
export function getWebhookDeliveryRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(getOperatorWebhookDelivery, async (call) => {
    const reply = await send(getWebhookDelivery, call, call.path);
    return "result" in reply
      ? { status: 200, body: reply.result }
      : operatorRefusalOf(reply, { reads: true });
  });
}
