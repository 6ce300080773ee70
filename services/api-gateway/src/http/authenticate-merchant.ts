import type { SignIn } from "../merchant/sign-in.ts";
import type { Authenticate } from "./create-router.ts";
import { Refusal } from "./refusal.ts";

/**
 * Signs a merchant in by X-API-KEY and X-API-SECRET. Missing, doubled, unknown, wrong, revoked and suspended are one
 * answer after the same work.
 */
export function authenticateMerchant(signIn: SignIn): Authenticate {
  return async (request, exchange) => {
    const { "x-api-key": keys, "x-api-secret": secrets } = request.headersDistinct;
    const given = keys?.length === 1 && secrets?.length === 1;
    exchange.merchant = given ? await signIn.verify(keys[0]!, secrets[0]!) : await signIn.verify("", "");
    exchange.merchantId = exchange.merchant?.merchantId;
    return exchange.merchant ? undefined : UNAUTHORIZED;
  };
}

/** RFC 9110 asks for a challenge with every 401. */
const UNAUTHORIZED = new Refusal("unauthorized", { headers: { "WWW-Authenticate": "ApiKey" } });
