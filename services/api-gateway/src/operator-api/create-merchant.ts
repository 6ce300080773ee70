import { createMerchant } from "@holdfast/contracts";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Pool } from "pg";
import { defineRoute } from "../endpoint/route.ts";
import { actorOf } from "./actor.ts";
import { issueCredential } from "../merchant/credential.ts";
import { insertMerchant } from "../merchant/merchant-queries.ts";

/** POST /operator/merchants: onboards a merchant. Its secret is in this answer and nowhere else. */
export function createMerchantRoute({ pool, peppers }: { pool: Pool; peppers: KeyRing }) {
  return defineRoute(createMerchant, async ({ exchange, caller, body: { name, commission, rules } }) => {
    const credential = issueCredential(peppers);
    const merchantId = await insertMerchant(
      pool,
      { name, commission, rules },
      credential,
      actorOf({ exchange, caller }),
    );
    exchange.merchantId = merchantId;
    const { apiKey, apiSecret } = credential;
    return {
      status: 201,
      headers: { Location: `/operator/merchants/${merchantId}` },
      body: { merchantId, name, apiKey, apiSecret },
    };
  });
}
