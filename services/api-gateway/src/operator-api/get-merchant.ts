import { getMerchant } from "@holdfast/contracts";
import type { Pool } from "pg";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import { findMerchant } from "../merchant/merchant-queries.ts";

/** GET /operator/merchants/{merchantId}. */
export function getMerchantRoute({ pool }: { pool: Pool }) {
  return defineRoute(getMerchant, async (call) => {
    const merchant = await findMerchant(pool, call.path.merchantId);
    return merchant ? { status: 200, body: merchant } : new Refusal("merchant_not_found");
  });
}
