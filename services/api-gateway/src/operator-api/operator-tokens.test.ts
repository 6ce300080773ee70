import { createLocalJWKSet, exportSPKI, SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, test } from "vitest";
import { AUDIENCE, createOperatorIdentity, ISSUER, type TokenOptions } from "../../test/operator-identity.ts";
import { OperatorKeysUnavailableError } from "./operator-keys.ts";
import { verifyOperatorToken } from "./operator-tokens.ts";

const rules = { issuer: ISSUER, audience: AUDIENCE, rolesClaim: "roles" };
const identity = await createOperatorIdentity();
const keys = createLocalJWKSet(identity.jwks);

async function verify(options?: TokenOptions) {
  return await verifyOperatorToken(await identity.token(options), keys, rules);
}

test.each(["ES256", "RS256", "EdDSA"] as const)(
  "a token signed with %s names its operator and role",
  async (alg) => {
    const other = await createOperatorIdentity(alg);
    const operator = await verifyOperatorToken(await other.token(), createLocalJWKSet(other.jwks), rules);
    expect(operator).toEqual({ subject: "olga", role: "admin" });
  },
);

test.each([
  [["viewer"], "viewer"],
  [["approver", "viewer"], "approver"],
  [["viewer", "admin"], "admin"],
  ["approver", "approver"],
  [["root", "Admin"], undefined],
  [[], undefined],
  [null, undefined],
  [{ admin: true }, undefined],
])("of the roles %j the highest is %s", async (roles, role) => {
  expect(await verify({ claims: { roles } })).toEqual({ subject: "olga", role });
});

test("roles can be in another claim", async () => {
  const token = await identity.token({ claims: { "https://example.test/groups": ["viewer"] } });
  const elsewhere = { ...rules, rolesClaim: "https://example.test/groups" };
  expect(await verifyOperatorToken(token, keys, elsewhere)).toEqual({ subject: "olga", role: "viewer" });
});

describe("nobody signs in with", () => {
  test.each<[string, TokenOptions]>([
    ["an expired token", { expiresAt: Math.floor(Date.now() / 1_000) - 60 }],
    ["a token that never expires", { expiresAt: null }],
    ["a token for another audience", { claims: { aud: "another-api" } }],
    ["a token for no audience", { claims: { aud: null } }],
    ["a token of another issuer", { claims: { iss: "https://evil.example.test" } }],
    ["a token of no issuer", { claims: { iss: null } }],
    ["a token about nobody", { claims: { sub: null } }],
    ["a token that is not valid yet", { claims: { nbf: Math.floor(Date.now() / 1_000) + 60 } }],
    ["a token of a key we do not have", { kid: "k2" }],
  ])("%s", async (_case, options) => {
    expect(await verify(options)).toBeUndefined();
  });

  test("a token that another key of the same name signed", async () => {
    const impostor = await createOperatorIdentity();
    expect(await verifyOperatorToken(await impostor.token(), keys, rules)).toBeUndefined();
  });

  test("a token without a signature", async () => {
    const token = new UnsecuredJWT({ roles: ["admin"] })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject("olga")
      .setExpirationTime("10m")
      .encode();
    expect(await verifyOperatorToken(token, keys, rules)).toBeUndefined();
  });

  test("a token signed with the public key as if it were a secret", async () => {
    const rsa = await createOperatorIdentity("RS256");
    const secret = Buffer.from(await exportSPKI(rsa.publicKey));
    const token = await new SignJWT({ roles: ["admin"] })
      .setProtectedHeader({ alg: "HS256", kid: "k1" })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject("olga")
      .setExpirationTime("10m")
      .sign(secret);
    // Handed out whatever is asked for, as a careless key set would.
    expect(await verifyOperatorToken(token, async () => secret, rules)).toBeUndefined();
  });

  test("what is no token", async () => {
    expect(await verifyOperatorToken("a.b.c", keys, rules)).toBeUndefined();
  });
});

test("that the keys cannot be had is not the token's fault", async () => {
  const unavailable = async () => {
    throw new OperatorKeysUnavailableError("down");
  };
  await expect(verifyOperatorToken(await identity.token(), unavailable, rules)).rejects.toThrow("down");
});
