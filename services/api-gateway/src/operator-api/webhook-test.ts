import { testMerchantWebhook, testWebhook } from "@holdfast/contracts";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { defineRoute } from "../endpoint/route.ts";

/** POST /operator/merchants/{merchantId}/webhook/test: answers how it went, 200 whether or not it was delivered. */
export function testWebhookRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(testMerchantWebhook, async (call) => {
    const { merchantId } = call.path;
    const reply = await send(testWebhook, call, { merchantId });
    return "result" in reply ? { status: 200, body: reply.result } : operatorRefusalOf(reply);
  });
}
