import { deleteMerchantWebhook, deleteWebhook } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { defineRoute } from "../endpoint/route.ts";

/** DELETE /operator/merchants/{merchantId}/webhook. */
export function deleteWebhookRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(deleteMerchantWebhook, async (call) => {
    const { merchantId } = call.path;
    const reply = await send(deleteWebhook, call, { merchantId });
    return "result" in reply ? { status: 204 } : operatorRefusalOf(reply);
  });
}
