import { OPERATOR_ROLES, type OperatorRole } from "@holdfast/contracts";
import { errors, jwtVerify, type JWTVerifyGetKey } from "jose";
import type { Operator } from "../http/exchange.ts";

export type OperatorTokenRules = { issuer: string; audience: string; rolesClaim: string };

/**
 * Who a bearer token is about, if it is a valid one: signed by one of the keys with an algorithm that has a public key,
 * for this API, not expired. Its subject is the person; of its roles the highest counts.
 *
 * @throws OperatorKeysUnavailableError
 */
export async function verifyOperatorToken(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, audience, rolesClaim }: OperatorTokenRules,
): Promise<Operator | undefined> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      // A symmetric one would take the public key for a secret.
      algorithms: ["RS256", "ES256", "EdDSA"],
      requiredClaims: ["exp", "sub"],
      clockTolerance: CLOCK_TOLERANCE_S,
    });
    return { subject: payload.sub!, role: highestRole(payload[rolesClaim]) };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

const CLOCK_TOLERANCE_S = 5;

function highestRole(claim: unknown): OperatorRole | undefined {
  const roles = Array.isArray(claim) ? claim : [claim];
  return OPERATOR_ROLES.findLast((role) => roles.includes(role));
}
