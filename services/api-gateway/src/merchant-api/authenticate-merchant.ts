import { rateLimited } from "../limits/rate-limited.ts";
import type { SignInLimits } from "../limits/sign-in-limits.ts";
import { isApiKey } from "../merchant/credential.ts";
import type { SignIn } from "../merchant/sign-in.ts";
import type { Authenticate } from "../endpoint/create-router.ts";
import { Refusal } from "../http/refusal.ts";

/**
 * Authenticates a merchant by X-API-KEY and X-API-SECRET. Missing, doubled, unknown, wrong, revoked, expired
 * and suspended credentials, and credentials that are not allowed from this address, get the same answer
 * after the same work. After too many failures that answer is a 429.
 */
export function authenticateMerchant(signIn: SignIn, limits: SignInLimits): Authenticate {
  return async (request, exchange) => {
    const { "x-api-key": keys, "x-api-secret": secrets } = request.headersDistinct;
    exchange.apiKey = keys?.length === 1 ? loggableKey(keys[0]!) : undefined;
    const given = keys?.length === 1 && secrets?.length === 1;
    const [apiKey, apiSecret] = given ? [keys[0]!, secrets[0]!] : ["", ""];
    const address = exchange.clientAddress;
    const lockedMs = limits.lockedMs(address, apiKey);
    if (lockedMs > 0) return rateLimited(lockedMs);

    exchange.merchant = await signIn.verify(apiKey, apiSecret, address);
    exchange.merchantId = exchange.merchant?.merchantId;
    if (!exchange.merchant) {
      const waitMs = limits.failed(address, apiKey);
      return waitMs > 0 ? rateLimited(waitMs) : UNAUTHORIZED;
    }
    limits.succeeded(address, apiKey);
    return undefined;
  };
}

/**
 * Returns a text that has the form of a key, which is bounded, unless it looks like a card number, since
 * anybody may send one.
 */
function loggableKey(text: string): string | undefined {
  return isApiKey(text) && !text.split(/[^\d_-]/).some(mayBeCardNumber) ? text : undefined;
}

function mayBeCardNumber(run: string): boolean {
  return run.replaceAll(/[_-]/g, "").length >= 12;
}

/** RFC 9110 requires a challenge with every 401. */
const UNAUTHORIZED = new Refusal("unauthorized", { headers: { "WWW-Authenticate": "ApiKey" } });
