import { changeMerchant } from "@holdfast/contracts";
import type { Pool } from "pg";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import type { AnnounceChange } from "../merchant/credential-changes.ts";
import { updateMerchant } from "../merchant/merchant-queries.ts";
import { actorOf } from "./actor.ts";

/** PATCH /operator/merchants/{merchantId}: name, plan, suspended or not. */
export function changeMerchantRoute({ pool, announce }: { pool: Pool; announce: AnnounceChange }) {
  return defineRoute(changeMerchant, async (call) => {
    const merchant = await updateMerchant(pool, call.path.merchantId, call.body, actorOf(call));
    if (!merchant) return new Refusal("merchant_not_found");
    announce(merchant.merchantId);
    return { status: 200, body: merchant };
  });
}
