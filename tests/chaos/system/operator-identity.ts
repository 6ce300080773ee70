import { writeFileSync } from "node:fs";
import { OPERATOR_ROLES } from "@holdfast/contracts";
import { exportJWK, generateKeyPair, SignJWT, type JWK } from "jose";

/** The operators' identity provider: its public key is a file, and it signs everybody's token itself. */
export type OperatorIdentity = { env: Record<string, string>; tokenOf: (name: string) => Promise<string> };

export async function createOperatorIdentity(jwksFile: string): Promise<OperatorIdentity> {
  const { jwk, tokenOf } = await createOperatorKey("chaos");
  writeFileSync(jwksFile, JSON.stringify({ keys: [jwk] }));
  return {
    env: {
      OPERATOR_JWKS: jwksFile,
      OPERATOR_JWT_ISSUER: ISSUER,
      OPERATOR_JWT_AUDIENCE: AUDIENCE,
      OPERATOR_TOKEN_AGE_MAX: `${TOKEN_AGE_S}s`,
      OPERATOR_DECISION_ISSUED_AGE_MAX: `${TOKEN_AGE_S}s`,
    },
    tokenOf,
  };
}

export type OperatorKey = { jwk: JWK; tokenOf: OperatorIdentity["tokenOf"] };

/** A key of the identity provider, and tokens that are signed with it. */
export async function createOperatorKey(kid: string): Promise<OperatorKey> {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM);
  return {
    jwk: { ...(await exportJWK(publicKey)), alg: ALGORITHM, use: "sig", kid },
    tokenOf: (name) => {
      const issuedAt = Math.floor(Date.now() / 1_000);
      return new SignJWT({ roles: [...OPERATOR_ROLES] })
        .setProtectedHeader({ alg: ALGORITHM, kid, typ: "at+jwt" })
        .setSubject(name)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + TOKEN_AGE_S)
        .sign(privateKey);
    },
  };
}

const ALGORITHM = "ES256";
const ISSUER = "holdfast-chaos";
const AUDIENCE = "holdfast-operator-api";
/** Longer than any run. */
const TOKEN_AGE_S = 8 * 3_600;
