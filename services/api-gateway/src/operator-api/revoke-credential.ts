import { revokeCredential } from "@holdfast/contracts";
import type { Pool } from "pg";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import { isApiKey } from "../merchant/credential.ts";
import * as queries from "../merchant/merchant-queries.ts";
import type { AnnounceChange } from "../merchant/credential-changes.ts";
import { actorOf } from "./actor.ts";

/**
 * DELETE /operator/merchants/{merchantId}/credentials/{apiKey}. Acts at once wherever the notice arrives, elsewhere
 * when the cached credential is read anew.
 */
export function revokeCredentialRoute({ pool, announce }: { pool: Pool; announce: AnnounceChange }) {
  return defineRoute(revokeCredential, async (call) => {
    const { merchantId, apiKey } = call.path;
    // What cannot be a key (PostgreSQL takes no NUL) finds none, as the empty one does.
    const found = await queries.revokeCredential(
      pool,
      merchantId,
      isApiKey(apiKey) ? apiKey : "",
      actorOf(call),
    );
    if (!found.merchant) return new Refusal("merchant_not_found");
    if (!found.credential) return new Refusal("credential_not_found");
    announce(merchantId);
    return { status: 204 };
  });
}
