import { getOperatorWebhookDelivery, getWebhookDelivery } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";

/** GET /operator/webhook-deliveries/{eventId}: one event with its attempts. */
export function getWebhookDeliveryRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(getOperatorWebhookDelivery, async (call) => {
    const id = getWebhookDelivery.request.safeParse(call.path);
    if (!id.success) return new Refusal("delivery_not_found");
    const reply = await send(getWebhookDelivery, call, id.data);
    return "result" in reply
      ? { status: 200, body: reply.result }
      : operatorRefusalOf(reply, { reads: true });
  });
}
