import { writeFileSync } from "node:fs";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

export type Merchant = { merchantId: string; apiKey: string; apiSecret: string };

/** The operators' identity provider: its public key is a file, and it signs the tokens itself. */
export type OperatorIdentity = { env: Record<string, string>; token: string };

export async function createOperatorIdentity(jwksFile: string): Promise<OperatorIdentity> {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM);
  const jwk = { ...(await exportJWK(publicKey)), alg: ALGORITHM, use: "sig", kid: "chaos" };
  writeFileSync(jwksFile, JSON.stringify({ keys: [jwk] }));
  const token = await new SignJWT({ roles: ["viewer", "approver", "admin"] })
    .setProtectedHeader({ alg: ALGORITHM, kid: jwk.kid })
    .setSubject("chaos")
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setExpirationTime("2h")
    .sign(privateKey);
  return {
    env: { OPERATOR_JWKS: jwksFile, OPERATOR_JWT_ISSUER: ISSUER, OPERATOR_JWT_AUDIENCE: AUDIENCE },
    token,
  };
}

const ALGORITHM = "ES256";
const ISSUER = "holdfast-chaos";
const AUDIENCE = "holdfast-operator-api";

/** As an operator does it. */
export async function onboardMerchant(operatorUrl: string, token: string): Promise<Merchant> {
  const response = await fetch(`${operatorUrl}/operator/merchants`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Chaos Shop" }),
    signal: AbortSignal.timeout(10_000),
  });
  if (response.status !== 201) {
    throw new Error(`the merchant was refused: HTTP ${response.status} ${await response.text()}`);
  }
  const { merchantId, apiKey, apiSecret } = (await response.json()) as Merchant;
  return { merchantId, apiKey, apiSecret };
}
