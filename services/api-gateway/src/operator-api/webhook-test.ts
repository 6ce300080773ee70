import { testMerchantWebhook, testWebhook } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import { merchantIdOf } from "./merchant-id.ts";

/** POST /operator/merchants/{merchantId}/webhook/test: answers how it went, 200 whether or not it was delivered. */
export function testWebhookRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(testMerchantWebhook, async (call) => {
    const merchantId = merchantIdOf(call);
    if (!merchantId) return new Refusal("webhook_not_found");
    const reply = await send(testWebhook, call, { merchantId });
    return "result" in reply ? { status: 200, body: reply.result } : operatorRefusalOf(reply);
  });
}
