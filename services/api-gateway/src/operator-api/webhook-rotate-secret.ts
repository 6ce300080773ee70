import { rotateMerchantWebhookSecret, rotateWebhookSecret } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/reply-sealing";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { defineRoute } from "../endpoint/route.ts";

/** POST /operator/merchants/{merchantId}/webhook/rotate-secret: shows the new secret once. */
export function rotateWebhookSecretRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(rotateMerchantWebhookSecret, async (call) => {
    const { merchantId } = call.path;
    const recipient = createReplyRecipient();
    const reply = await send(rotateWebhookSecret, call, { merchantId, recipientKey: recipient.publicKey });
    if (!("result" in reply)) return operatorRefusalOf(reply);
    const { secret, activatesAt } = reply.result;
    return { status: 200, body: { secret: recipient.open(secret), activatesAt } };
  });
}
