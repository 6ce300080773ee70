import { endCredential, makeCredential, operations } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { defineRoute, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import { isApiKey } from "../merchant/credential.ts";

/** A merchant's API keys, as its staff change them: this listener may not write any, and has the operators' do it. */
export function staffCredentialRoutes({ send }: { send: SendOperatorCommand }): Route[] {
  return [
    defineRoute(operations.addCredential, async (call) => {
      const { merchantId } = call.path;
      const { livemode = true, ...restrictions } = call.body;
      const recipient = createReplyRecipient();
      const asked = { merchantId, livemode, ...restrictions, recipientKey: recipient.publicKey };
      const reply = await send(makeCredential, call, asked);
      if (!("result" in reply)) return refusalOf(reply);
      const { apiKey, secret } = reply.result;
      return { status: 201, body: { merchantId, apiKey, livemode, apiSecret: recipient.open(secret) } };
    }),
    defineRoute(operations.revokeCredential, async (call) => {
      if (!isApiKey(call.path.apiKey)) return new Refusal("credential_not_found");
      const reply = await send(endCredential, call, call.path);
      return "result" in reply ? { status: 204 } : refusalOf(reply);
    }),
  ];
}
