import { redeliverOperatorWebhook, redeliverWebhook } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";

/** POST /operator/webhook-deliveries/{eventId}/redeliver. */
export function redeliverWebhookRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(redeliverOperatorWebhook, async (call) => {
    const id = redeliverWebhook.request.safeParse(call.path);
    if (!id.success) return new Refusal("delivery_not_found");
    const reply = await send(redeliverWebhook, call, id.data);
    return "result" in reply ? { status: 202, body: reply.result } : operatorRefusalOf(reply);
  });
}
