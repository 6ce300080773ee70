import { changeMerchant } from "@holdfast/contracts";
import type { Pool } from "pg";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import type { AnnounceChange } from "../merchant/credential-changes.ts";
import { updateMerchant } from "../merchant/merchant-queries.ts";
import { actorOf } from "./actor.ts";
import { merchantIdOf } from "./merchant-id.ts";

/** PATCH /operator/merchants/{merchantId}: name, plan, suspended or not. */
export function changeMerchantRoute({ pool, announce }: { pool: Pool; announce: AnnounceChange }) {
  return defineRoute(changeMerchant, async (call) => {
    const merchantId = merchantIdOf(call);
    const merchant = merchantId && (await updateMerchant(pool, merchantId, call.body, actorOf(call)));
    if (!merchant) return new Refusal("merchant_not_found");
    announce(merchant.merchantId);
    return { status: 200, body: merchant };
  });
}
