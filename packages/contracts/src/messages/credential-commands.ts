import { z } from "zod";
import { restrictionsGiven } from "../http/credential-restrictions.ts";
import { sealedReplySchema } from "../sealed-reply.ts";
import { defineOperatorCommand } from "./message.ts";

/**
 * Changes of a merchant's API keys, which the operators' listener keeps. For an operator it makes them itself: nobody
 * sends these commands, only the staff's versions of them (docs/adr/0047).
 */
const ofKeys = { service: "gateway", role: "onboarder", work: "write", senders: [] } as const;
const merchant = z.object({ merchantId: z.uuid() });
const apiKey = z.string().max(66);

export const makeCredential = defineOperatorCommand({
  ...ofKeys,
  name: "make-credential",
  request: merchant.extend({
    livemode: z.boolean(),
    ...restrictionsGiven,
    recipientKey: z.string(),
  }),
  result: z.object({ apiKey, secret: sealedReplySchema }),
});

export const endCredential = defineOperatorCommand({
  ...ofKeys,
  name: "end-credential",
  request: merchant.extend({ apiKey }),
  result: z.object({}),
});
