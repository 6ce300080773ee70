import type { JWTVerifyGetKey } from "jose";
import { verifyOperatorToken, type OperatorTokenRules } from "./operator-tokens.ts";
import type { Authenticate } from "../endpoint/create-router.ts";
import { Refusal } from "../http/refusal.ts";

/** Signs an operator in by a bearer token (RFC 6750). */
export function authenticateOperator(keys: JWTVerifyGetKey, rules: OperatorTokenRules): Authenticate {
  return async (request, exchange) => {
    const { authorization = [] } = request.headersDistinct;
    const token =
      authorization.length === 1 ? /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization[0]!)?.[1] : undefined;
    exchange.operator = token === undefined ? undefined : await verifyOperatorToken(token, keys, rules);
    return exchange.operator ? undefined : UNAUTHORIZED;
  };
}

const UNAUTHORIZED = new Refusal("unauthorized", { headers: { "WWW-Authenticate": "Bearer" } });
