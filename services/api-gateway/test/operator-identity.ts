import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from "jose";

/** What signs operators' tokens in tests, and its public half as a JWKS. */
export type OperatorIdentity = {
  jwks: { keys: object[] };
  publicKey: CryptoKey;
  token(options?: TokenOptions): Promise<string>;
};

/** `null` leaves a claim out. */
export type TokenOptions = {
  claims?: Record<string, unknown>;
  expiresAt?: string | number | null;
  kid?: string;
};

export const ISSUER = "https://login.example.test";
export const AUDIENCE = "holdfast-operator-api";

export async function createOperatorIdentity(
  alg: "ES256" | "RS256" | "EdDSA" = "ES256",
  kid = "k1",
): Promise<OperatorIdentity> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return {
    jwks: { keys: [{ ...(await exportJWK(publicKey)), alg, kid, use: "sig" }] },
    publicKey,
    async token({ claims = {}, expiresAt = "10m", kid: tokenKid = kid } = {}) {
      const payload = { iss: ISSUER, aud: AUDIENCE, sub: "olga", roles: ["admin"], ...claims };
      const given = Object.entries(payload).filter(([, value]) => value !== null);
      const jwt = new SignJWT(Object.fromEntries(given)).setProtectedHeader({
        alg,
        kid: tokenKid,
      });
      if (expiresAt !== null) jwt.setExpirationTime(expiresAt);
      return await jwt.sign(privateKey);
    },
  };
}
