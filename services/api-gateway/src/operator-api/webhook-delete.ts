import { deleteMerchantWebhook, deleteWebhook } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import { merchantIdOf } from "./merchant-id.ts";

/** DELETE /operator/merchants/{merchantId}/webhook. */
export function deleteWebhookRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(deleteMerchantWebhook, async (call) => {
    const merchantId = merchantIdOf(call);
    if (!merchantId) return new Refusal("webhook_not_found");
    const reply = await send(deleteWebhook, call, { merchantId });
    return "result" in reply ? { status: 204 } : operatorRefusalOf(reply);
  });
}
