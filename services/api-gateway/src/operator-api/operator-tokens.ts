import { OPERATOR_ROLES, type OperatorRole } from "@holdfast/contracts";
import { errors, jwtVerify, type JWTVerifyGetKey } from "jose";
import type { Operator } from "../http/exchange.ts";

export type OperatorTokenRules = { issuer: string; audience: string; rolesClaim: string };

/**
 * The operator of a bearer token that is valid: signed by one of the keys with a public-key algorithm, for this API, not
 * expired. Its subject is the person; the highest of its roles counts.
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
      // A symmetric algorithm would use the public key as a secret.
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
