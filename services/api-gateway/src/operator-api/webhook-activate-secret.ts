import { activateMerchantWebhookSecret, activateWebhookSecret } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { defineRoute } from "../endpoint/route.ts";

/** POST /operator/merchants/{merchantId}/webhook/activate-secret. */
export function activateWebhookSecretRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(activateMerchantWebhookSecret, async (call) => {
    const { merchantId } = call.path;
    const reply = await send(activateWebhookSecret, call, { merchantId });
    return "result" in reply ? { status: 204 } : operatorRefusalOf(reply);
  });
}
