import { putMerchantWebhook, putWebhook } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/reply-sealing";
import type { Pool } from "pg";
import { operatorRefusalOf, type SendOperatorCommand } from "../bus/operator-command.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import { findMerchant } from "../merchant/merchant-queries.ts";

/**
 * PUT /operator/merchants/{merchantId}/webhook: the secret crosses the bus sealed to this request and is shown here
 * once.
 */
export function putWebhookRoute({ send, pool }: { send: SendOperatorCommand; pool: Pool }) {
  return defineRoute(putMerchantWebhook, async (call) => {
    const { merchantId } = call.path;
    if (!(await findMerchant(pool, merchantId))) return new Refusal("merchant_not_found");
    const recipient = createReplyRecipient();
    const { url } = call.body;
    const reply = await send(putWebhook, call, { merchantId, url, recipientKey: recipient.publicKey });
    if (!("result" in reply)) return operatorRefusalOf(reply);
    const { secret } = reply.result;
    return secret === undefined
      ? { status: 200, body: { url } }
      : { status: 201, body: { url, secret: recipient.open(secret) } };
  });
}
