import { writeFileSync } from "node:fs";
import { OPERATOR_ROLES } from "@holdfast/contracts";
import { exportJWK, generateKeyPair, SignJWT, type JWK } from "jose";

/** The operators' identity provider: its public key is a file, and it signs everybody's token itself. */
export type OperatorIdentity = {
  env: Record<string, string>;
  tokenOf: (name: string) => Promise<string>;
  /** A token for a person of a merchant's staff, who may do everything there. */
  staffTokenOf: (name: string, merchantId: string) => Promise<string>;
};

export async function createOperatorIdentity(jwksFile: string): Promise<OperatorIdentity> {
  const { jwk, ...tokens } = await createOperatorKey("chaos");
  writeFileSync(jwksFile, JSON.stringify({ keys: [jwk] }));
  return {
    env: {
      OPERATOR_JWKS: jwksFile,
      OPERATOR_JWT_ISSUER: ISSUER,
      OPERATOR_JWT_AUDIENCE: AUDIENCE,
      OPERATOR_TOKEN_AGE_MAX: `${TOKEN_AGE_S}s`,
      OPERATOR_DECISION_ISSUED_AGE_MAX: `${TOKEN_AGE_S}s`,
      STAFF_JWKS: jwksFile,
      STAFF_JWT_ISSUER: ISSUER,
      STAFF_JWT_AUDIENCE: STAFF_AUDIENCE,
      STAFF_TOKEN_AGE_MAX: `${TOKEN_AGE_S}s`,
      STAFF_DECISION_ISSUED_AGE_MAX: `${TOKEN_AGE_S}s`,
    },
    ...tokens,
  };
}

export type OperatorKey = { jwk: JWK } & Pick<OperatorIdentity, "tokenOf" | "staffTokenOf">;

/** A key of the identity provider, and tokens that are signed with it. */
export async function createOperatorKey(kid: string): Promise<OperatorKey> {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM);
  const sign = async (name: string, audience: string, claims: Record<string, unknown>) => {
    const issuedAt = Math.floor(Date.now() / 1_000);
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, kid, typ: "at+jwt" })
      .setSubject(name)
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + TOKEN_AGE_S)
      .sign(privateKey);
  };
  return {
    jwk: { ...(await exportJWK(publicKey)), alg: ALGORITHM, use: "sig", kid },
    tokenOf: (name) => sign(name, AUDIENCE, { roles: [...OPERATOR_ROLES] }),
    staffTokenOf: (name, merchantId) =>
      sign(name, STAFF_AUDIENCE, { roles: ["owner"], merchant_id: merchantId }),
  };
}

const ALGORITHM = "ES256";
const ISSUER = "holdfast-chaos";
const AUDIENCE = "holdfast-operator-api";
const STAFF_AUDIENCE = "holdfast-staff-api";
/** Longer than any run. */
const TOKEN_AGE_S = 8 * 3_600;
