import { createLocalJWKSet, exportSPKI, SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, test } from "vitest";
import {
  AUDIENCE,
  STAFF_AUDIENCE,
  createOperatorIdentity,
  EVERY_ROLE,
  ISSUER,
  type TokenOptions,
  personAs,
} from "@holdfast/tests/support";
import { OperatorKeysUnavailableError } from "./operator-keys.ts";
import { verifyOperatorToken, verifyStaffToken, type OperatorTokenRules } from "./verify-operator-token.ts";

const rules: OperatorTokenRules = {
  issuer: ISSUER,
  audience: AUDIENCE,
  otherAudience: STAFF_AUDIENCE,
  merchantClaim: "merchant_id",
  rolesClaim: "roles",
  ageMaxMs: 3_600_000,
  types: ["at+jwt", "JWT"],
  leewayMs: 5_000,
  requiredAcr: [],
  requiredAmr: [],
  recent: { signInAgeMaxMs: 900_000, issuedAgeMaxMs: 900_000 },
};
const identity = await createOperatorIdentity();
const keys = createLocalJWKSet(identity.jwks);
const MERCHANT_ID = "019a0000-0000-7000-8000-000000000001";
const OLGA = { subject: "olga", person: personAs("olga") };
const nowS = () => Math.floor(Date.now() / 1_000);

async function verify(options?: TokenOptions, changedRules: Partial<OperatorTokenRules> = {}) {
  return await verifyOperatorToken(await identity.token(options), keys, { ...rules, ...changedRules });
}

test.each(["ES256", "RS256", "EdDSA"] as const)(
  "a token signed with %s names its operator and roles",
  async (alg) => {
    const other = await createOperatorIdentity(alg);
    const operator = await verifyOperatorToken(await other.token(), createLocalJWKSet(other.jwks), rules);
    expect(operator).toEqual({ ...OLGA, roles: new Set(EVERY_ROLE) });
  },
);

test.each([
  [["viewer"], ["viewer"]],
  [
    ["operations", "viewer"],
    ["viewer", "operations"],
  ],
  ["approver", ["approver"]],
  [["root", "Admin", "onboarder"], ["onboarder"]],
  [[], []],
  [null, []],
  [{ admin: true }, []],
])("of the claim %j the roles are %j", async (roles, known) => {
  expect(await verify({ claims: { roles } })).toEqual({ ...OLGA, roles: new Set(known) });
});

test("roles can be in another claim", async () => {
  const token = await identity.token({ claims: { "https://example.test/groups": ["viewer"] } });
  const elsewhere = { ...rules, rolesClaim: "https://example.test/groups" };
  expect(await verifyOperatorToken(token, keys, elsewhere)).toEqual({
    ...OLGA,
    roles: new Set(["viewer"]),
  });
});

describe("nobody signs in with", () => {
  test.each<[string, TokenOptions]>([
    ["an expired token", { issuedAt: nowS() - 600, expiresAt: nowS() - 60 }],
    ["a token that never expires", { expiresAt: null }],
    ["a token for another audience", { claims: { aud: "another-api" } }],
    ["a token for operators and for staff", { claims: { aud: [AUDIENCE, STAFF_AUDIENCE] } }],
    ["a token of a merchant's staff", { claims: { merchant_id: MERCHANT_ID } }],
    ["a token of staff of no merchant", { claims: { merchant_id: "" } }],
    ["a token for no audience", { claims: { aud: null } }],
    ["a token of another issuer", { claims: { iss: "https://evil.example.test" } }],
    ["a token of no issuer", { claims: { iss: null } }],
    ["a token about nobody", { claims: { sub: null } }],
    ["a token that is not valid yet", { claims: { nbf: Math.floor(Date.now() / 1_000) + 60 } }],
    ["a token of a key we do not have", { kid: "k2" }],
    ["a token that lives for years", { expiresAt: Date.UTC(9999, 0) / 1_000 }],
    ["a token that lives a second too long", { issuedAt: nowS() - 60, expiresAt: nowS() + 3_541 }],
    ["a token that was issued at no time", { issuedAt: null }],
    ["a token that was issued in the future", { issuedAt: nowS() + 60 }],
    ["a token that ends before it began", { issuedAt: nowS() - 60, expiresAt: nowS() - 120 }],
    ["a log-out token", { typ: "logout+jwt" }],
    ["a token of a type that begins like one", { typ: "at+jwt-not" }],
    ["a token of no type", { typ: null }],
    ["a token about the empty name", { claims: { sub: "" } }],
    ["a token about white space", { claims: { sub: " " } }],
    ["a token about a number", { claims: { sub: 7 } }],
    ["a token about a name of 201 characters", { claims: { sub: "o".repeat(201) } }],
    ["a token about a name with a line break", { claims: { sub: "olga\nadmin" } }],
    ["a token about a name with NUL", { claims: { sub: "olga\0" } }],
    ["a token about a name that reads backwards", { claims: { sub: "\u202Eaglo" } }],
    ["a token about half of a pair", { claims: { sub: "olga\uD800" } }],
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
      .setIssuedAt()
      .setExpirationTime("10m")
      .encode();
    expect(await verifyOperatorToken(token, keys, rules)).toBeUndefined();
  });

  test("a token signed with the public key as if it were a secret", async () => {
    const rsa = await createOperatorIdentity("RS256");
    const secret = Buffer.from(await exportSPKI(rsa.publicKey));
    const token = await new SignJWT({ roles: ["admin"] })
      .setProtectedHeader({ alg: "HS256", kid: "k1", typ: "at+jwt" })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject("olga")
      .setIssuedAt()
      .setExpirationTime("10m")
      .sign(secret);
    // A careless key set would hand it out for every request.
    expect(await verifyOperatorToken(token, async () => secret, rules)).toBeUndefined();
  });

  test("what is no token", async () => {
    expect(await verifyOperatorToken("a.b.c", keys, rules)).toBeUndefined();
  });
});

test("a token for operators and for a third API is an operator's", async () => {
  expect(await verify({ claims: { aud: ["account", AUDIENCE] } })).toMatchObject({ subject: "olga" });
});

test("a token for staff and for operators is no staff's", async () => {
  const staffRules = { ...rules, audience: STAFF_AUDIENCE, otherAudience: AUDIENCE };
  const verifyFor = async (aud: string | string[]) =>
    await verifyStaffToken(
      await identity.token({ claims: { aud, merchant_id: MERCHANT_ID } }),
      keys,
      staffRules,
    );
  expect(await verifyFor(STAFF_AUDIENCE)).toMatchObject({ merchantId: MERCHANT_ID });
  expect(await verifyFor([STAFF_AUDIENCE, "account"])).toMatchObject({ merchantId: MERCHANT_ID });
  expect(await verifyFor([STAFF_AUDIENCE, AUDIENCE])).toBeUndefined();
});

test.each(["at+jwt", "application/at+jwt", "JWT", "jwt"])(
  "an access token may say %s of itself",
  async (typ) => {
    expect(await verify({ typ })).toMatchObject({ subject: "olga" });
  },
);

test.each<[string, string | null, string[], boolean]>([
  ["no type, where that is named", null, ["none"], true],
  ["another type, where that is named", "application/okta-internal-at+jwt", ["okta-internal-AT+jwt"], true],
  ["a usual type, where only another is named", "JWT", ["at+jwt"], false],
  ["a log-out token's type, where none is named", "logout+jwt", ["none"], false],
])("a token of %s: %s with %j is accepted: %s", async (_case, typ, types, isAccepted) => {
  expect((await verify({ typ }, { types })) !== undefined).toBe(isAccepted);
});

test("the leeway is how far the provider's clock may be from ours", async () => {
  const ahead = { issuedAt: nowS() + 20, claims: { auth_time: nowS() + 20 }, expiresAt: nowS() + 600 };
  expect(await verify(ahead)).toBeUndefined();
  expect(await verify(ahead, { leewayMs: 30_000 })).toEqual({
    ...OLGA,
    roles: new Set(EVERY_ROLE),
    staleSignIn: undefined,
  });
  const ended = { issuedAt: nowS() - 60, expiresAt: nowS() - 20 };
  expect(await verify(ended)).toBeUndefined();
  expect(await verify(ended, { leewayMs: 30_000 })).toMatchObject({ subject: "olga" });
});

test("a clock that is a little behind the provider's does not matter", async () => {
  expect(await verify({ issuedAt: nowS() + 2 })).toMatchObject({ subject: "olga" });
});

test("a token may live as long as the rules say, to the second", async () => {
  expect(await verify({ issuedAt: nowS() - 60, expiresAt: nowS() + 3_540 })).toMatchObject({
    subject: "olga",
  });
  const aDay = { ageMaxMs: 86_400_000 };
  expect(await verify({ issuedAt: nowS(), expiresAt: "20h" }, aDay)).toMatchObject({ subject: "olga" });
});

test("a name of 200 characters in any script is a name", async () => {
  const sub = "ğ😀".repeat(100);
  expect(await verify({ claims: { sub } })).toMatchObject({ subject: sub });
});

describe("how somebody signed in", () => {
  const strong = { requiredAcr: ["urn:example:gold", "urn:example:silver"], requiredAmr: ["mfa", "hwk"] };
  test.each([
    ["one of the levels and all methods", { acr: "urn:example:silver", amr: ["pwd", "hwk", "mfa"] }, true],
    ["another level", { acr: "urn:example:bronze", amr: ["hwk", "mfa"] }, false],
    ["no level", { amr: ["hwk", "mfa"] }, false],
    ["a list of levels", { acr: ["urn:example:gold"], amr: ["hwk", "mfa"] }, false],
    ["a method too few", { acr: "urn:example:gold", amr: ["mfa"] }, false],
    ["no methods", { acr: "urn:example:gold" }, false],
    ["the methods as one text", { acr: "urn:example:gold", amr: "mfa hwk" }, false],
  ])("with %s: %j is accepted: %s", async (_case, claims, accepted) => {
    expect((await verify({ claims }, strong)) !== undefined).toBe(accepted);
  });
});

describe("a sign-in is recent", () => {
  const minutesAgo = (minutes: number) => nowS() - minutes * 60;
  const strict = { recent: { signInAgeMaxMs: 900_000, issuedAgeMaxMs: 0 } };
  const long = { recent: { signInAgeMaxMs: 900_000, issuedAgeMaxMs: 3_600_000 } };
  test.each<[string, TokenOptions, boolean, Partial<OperatorTokenRules>]>([
    ["by auth_time", { claims: { auth_time: minutesAgo(14) } }, true, {}],
    ["by auth_time, with whatever else", { claims: { auth_time: minutesAgo(14) } }, true, strict],
    ["not by an old one, in a new token", { claims: { auth_time: minutesAgo(16) } }, false, {}],
    ["not by an old one, whatever iat may be", { claims: { auth_time: minutesAgo(16) } }, false, long],
    ["not by one to come", { claims: { auth_time: nowS() + 60 } }, false, {}],
    ["not by a text", { claims: { auth_time: `${nowS()}` } }, false, {}],
    ["by iat, where there is no other", { issuedAt: minutesAgo(14) }, true, {}],
    ["not by an old iat", { issuedAt: minutesAgo(16) }, false, {}],
    ["by an older iat where that is allowed", { issuedAt: minutesAgo(40) }, true, long],
    ["by no iat where that is not enough", {}, false, strict],
  ])("%s", async (_case, options, isRecent, changed) => {
    const claims = { sub: "olga", ...options.claims };
    const operator = await verify({ expiresAt: "10m", ...options, claims }, changed);
    expect(operator).toMatchObject({ subject: "olga" });
    expect(operator!.staleSignIn).toEqual(isRecent ? undefined : { maxAgeS: 900 });
  });
});

test("that the keys cannot be had is not the token's fault", async () => {
  const unavailable = async () => {
    throw new OperatorKeysUnavailableError("down");
  };
  await expect(verifyOperatorToken(await identity.token(), unavailable, rules)).rejects.toThrow("down");
});
