import { activateMerchantWebhookSecret, activateWebhookSecret } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import { merchantIdOf } from "./merchant-id.ts";

/** POST /operator/merchants/{merchantId}/webhook/activate-secret. */
export function activateWebhookSecretRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(activateMerchantWebhookSecret, async (call) => {
    const merchantId = merchantIdOf(call);
    if (!merchantId) return new Refusal("webhook_not_found");
    const reply = await send(activateWebhookSecret, call, { merchantId });
    return "result" in reply ? { status: 204 } : operatorRefusalOf(reply);
  });
}
