import { redeliverOperatorWebhook, redeliverWebhook } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { defineRoute } from "../endpoint/route.ts";

/** POST /operator/webhook-deliveries/{eventId}/redeliver. */
export function redeliverWebhookRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(redeliverOperatorWebhook, async (call) => {
    const reply = await send(redeliverWebhook, call, call.path);
    return "result" in reply ? { status: 202, body: reply.result } : operatorRefusalOf(reply);
  });
}
