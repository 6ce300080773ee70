import { OperatorToken, type VerifyToken } from "@holdfast/operator-token";
import type { ClockWatch } from "@holdfast/service-runtime";
import type { Authenticate } from "../endpoint/create-router.ts";
import { Refusal } from "../http/refusal.ts";

type Deps = {
  verify: VerifyToken;
  /** While it is off, nobody can say whether a token has expired. */
  clock: Pick<ClockWatch, "isOff">;
};

/** Signs an operator in by a bearer token (RFC 6750). */
export function authenticateOperator({ verify, clock }: Deps): Authenticate {
  return async (request, exchange) => {
    const { authorization = [] } = request.headersDistinct;
    const text =
      authorization.length === 1 ? /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization[0]!)?.[1] : undefined;
    if (text === undefined) return UNAUTHORIZED;
    if (clock.isOff()) return new Refusal("service_unavailable");
    const operator = await verify(text);
    if (!operator) return UNAUTHORIZED;
    exchange.operator = { ...operator, token: new OperatorToken(text) };
    return undefined;
  };
}

const UNAUTHORIZED = new Refusal("unauthorized", { headers: { "WWW-Authenticate": "Bearer" } });
