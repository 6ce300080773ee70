import { claimedSubject, OperatorToken, type VerifyToken } from "@holdfast/operator-token";
import type { ClockWatch } from "@holdfast/service-runtime";
import type { Authenticate } from "../endpoint/create-router.ts";
import { Refusal } from "../http/refusal.ts";
import { rateLimited } from "../limits/rate-limited.ts";
import type { SignInLimits } from "../limits/sign-in-limits.ts";

type Deps = {
  verify: VerifyToken;
  limits: SignInLimits;
  /** Of the person whom a valid token names. */
  isRefused: (subject: string) => Promise<boolean>;
  /** While it is off, nobody can say whether a token has expired. */
  clock: Pick<ClockWatch, "isOff">;
};

/**
 * Signs an operator in by a bearer token (RFC 6750). After too many failures from an address its attempts are answered 429
 * unread, but for those in the name of a person who has signed in from there before.
 */
export function authenticateOperator({ verify, limits, isRefused, clock }: Deps): Authenticate {
  return async (request, exchange) => {
    const { authorization = [] } = request.headersDistinct;
    const text =
      authorization.length === 1 ? /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization[0]!)?.[1] : undefined;
    const address = exchange.clientAddress;
    const claimed = text === undefined ? "" : claimedSubject(text);
    const lockedMs = limits.lockedMs(address, claimed);
    if (lockedMs > 0) return rateLimited(lockedMs);
    if (text !== undefined && clock.isOff()) return new Refusal("service_unavailable");

    const operator = text === undefined ? undefined : await verify(text);
    if (text === undefined || !operator) {
      const waitMs = limits.failed(address, claimed);
      return waitMs > 0 ? rateLimited(waitMs) : UNAUTHORIZED;
    }
    limits.succeeded(address, operator.subject);
    exchange.operator = { ...operator, token: new OperatorToken(text) };
    return (await isRefused(operator.subject)) ? new Refusal("operator_refused") : undefined;
  };
}

const UNAUTHORIZED = new Refusal("unauthorized", { headers: { "WWW-Authenticate": "Bearer" } });
