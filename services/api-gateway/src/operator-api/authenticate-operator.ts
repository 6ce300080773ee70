import type { VerifiedOperator } from "@holdfast/contracts";
import { claimedSubject, OperatorToken } from "@holdfast/operator-token";
import type { ClockWatch } from "@holdfast/postgres";
import type { Authenticate } from "../endpoint/create-router.ts";
import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";
import { rateLimited } from "../limits/rate-limited.ts";
import type { SignInLimits } from "../limits/sign-in-limits.ts";

export type SignInDeps<Person> = {
  /** @returns undefined of a token that is not valid. */
  verify: (token: string) => Promise<Person | undefined>;
  limits: SignInLimits;
  /** True if the person whom a valid token names is locked out. */
  isRefused: (person: { person: string; subject: string }) => Promise<boolean>;
  /** The clock; while it is off, a token's expiry cannot be checked. */
  clock: Pick<ClockWatch, "isOff">;
};

/**
 * Authenticates an operator by a bearer token (RFC 6750). After too many failures an address is answered 429
 * unread, except for people who have signed in from there before.
 */
export function authenticateOperator(deps: SignInDeps<VerifiedOperator>): Authenticate {
  return signInByToken(deps, async (exchange, operator, token) => {
    exchange.operator = { ...operator, token };
    return undefined;
  });
}

/**
 * The sign-in of people of any kind.
 *
 * @param admit sets the person who signed in, or refuses them although their token is valid.
 */
export function signInByToken<Person extends { subject: string; person: string }>(
  { verify, limits, isRefused, clock }: SignInDeps<Person>,
  admit: (exchange: Exchange, person: Person, token: OperatorToken) => Promise<Refusal | undefined>,
): Authenticate {
  return async (request, exchange) => {
    const { authorization = [] } = request.headersDistinct;
    const text =
      authorization.length === 1 ? /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization[0]!)?.[1] : undefined;
    const address = exchange.clientAddress;
    const claimed = text === undefined ? "" : claimedSubject(text);
    const lockedMs = limits.lockedMs(address, claimed);
    if (lockedMs > 0) return rateLimited(lockedMs);
    if (text !== undefined && clock.isOff()) return new Refusal("service_unavailable");

    const person = text === undefined ? undefined : await verify(text);
    if (text === undefined || !person) {
      const waitMs = limits.failed(address, claimed);
      return waitMs > 0 ? rateLimited(waitMs) : unauthorized(text);
    }
    limits.succeeded(address, person.subject);
    const refusal = await admit(exchange, person, new OperatorToken(text));
    if (refusal) return refusal;
    return (await isRefused(person)) ? new Refusal("operator_refused") : undefined;
  };
}

/** RFC 6750, 3: a request without a token gets no error code. */
function unauthorized(token: string | undefined): Refusal {
  const challenge = token === undefined ? "Bearer" : 'Bearer error="invalid_token"';
  return new Refusal("unauthorized", { headers: { "WWW-Authenticate": challenge } });
}
