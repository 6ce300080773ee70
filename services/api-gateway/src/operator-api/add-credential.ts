import { addCredential } from "@holdfast/contracts";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Pool } from "pg";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import { issueCredential } from "../merchant/credential.ts";
import { insertCredential } from "../merchant/merchant-queries.ts";
import { actorOf } from "./actor.ts";

/** POST /operator/merchants/{merchantId}/credentials: another live pair, so that a merchant can change over. */
export function addCredentialRoute({ pool, peppers }: { pool: Pool; peppers: KeyRing }) {
  return defineRoute(addCredential, async (call) => {
    const { merchantId } = call.path;
    const credential = issueCredential(peppers);
    if (!(await insertCredential(pool, merchantId, credential, actorOf(call))))
      return new Refusal("merchant_not_found");
    const { apiKey, apiSecret } = credential;
    return { status: 201, body: { merchantId, apiKey, apiSecret } };
  });
}
