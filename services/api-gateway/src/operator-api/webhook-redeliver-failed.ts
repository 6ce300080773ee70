import { redeliverFailedOperatorWebhooks, redeliverFailedWebhooks } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { defineRoute } from "../endpoint/route.ts";

/** POST /operator/webhook-deliveries/redeliver: everything that failed for a merchant since a time. */
export function redeliverFailedWebhooksRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(redeliverFailedOperatorWebhooks, async (call) => {
    const { merchantId, since } = call.body;
    call.exchange.merchantId = merchantId;
    const reply = await send(redeliverFailedWebhooks, call, { merchantId, since });
    return "result" in reply ? { status: 202, body: reply.result } : operatorRefusalOf(reply);
  });
}
