import { writeFile } from "node:fs/promises";
import { personOf, type PersonKind } from "@holdfast/contracts";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from "jose";

/** An identity provider for operators: signs their tokens; its public half is a JWKS. */
export type OperatorIdentity = {
  jwks: { keys: object[] };
  publicKey: CryptoKey;
  token(options?: TokenOptions): Promise<string>;
  /** Writes the keys to a file. @returns the settings of a service that verifies this provider's tokens. */
  settings(jwksFile: string): Promise<Record<string, string>>;
};

/** `null` leaves a claim, or the type, out. Without claims the token is olga's, with every role. */
export type TokenOptions = {
  claims?: Record<string, unknown>;
  /** A duration from now on, or a time in seconds. */
  expiresAt?: string | number | null;
  issuedAt?: number | null;
  kid?: string;
  typ?: string | null;
};

export const ISSUER = "https://login.example.test";
export const AUDIENCE = "holdfast-operator-api";
export const STAFF_AUDIENCE = "holdfast-staff-api";
export const EVERY_ROLE = ["viewer", "approver", "onboarder", "operations", "admin"];

/** A person with a token of this provider, as records keep them. */
export const personAs = (subject: string, kind: PersonKind = "operator") =>
  personOf({ kind, issuer: ISSUER, subject });

export async function createOperatorIdentity(
  alg: "ES256" | "RS256" | "EdDSA" = "ES256",
  kid = "k1",
): Promise<OperatorIdentity> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg, kid, use: "sig" }] };
  return {
    jwks,
    publicKey,
    async token({ claims = {}, expiresAt = "10m", issuedAt, kid: tokenKid = kid, typ = "at+jwt" } = {}) {
      const payload = { iss: ISSUER, aud: AUDIENCE, sub: "olga", roles: EVERY_ROLE, ...claims };
      const given = Object.entries(payload).filter(([, value]) => value !== null);
      const header = { alg, kid: tokenKid, ...(typ !== null && { typ }) };
      const jwt = new SignJWT(Object.fromEntries(given)).setProtectedHeader(header);
      if (issuedAt !== null) jwt.setIssuedAt(issuedAt);
      if (expiresAt !== null) jwt.setExpirationTime(expiresAt);
      return await jwt.sign(privateKey);
    },
    async settings(jwksFile) {
      await writeFile(jwksFile, JSON.stringify(jwks));
      return {
        OPERATOR_JWKS: jwksFile,
        OPERATOR_JWT_ISSUER: ISSUER,
        OPERATOR_JWT_AUDIENCE: AUDIENCE,
        STAFF_JWKS: jwksFile,
        STAFF_JWT_ISSUER: ISSUER,
        STAFF_JWT_AUDIENCE: STAFF_AUDIENCE,
      };
    },
  };
}
