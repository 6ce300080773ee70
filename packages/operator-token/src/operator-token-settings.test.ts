import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOperatorIdentity, STAFF_AUDIENCE, type TokenOptions } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { createVerifyToken, operatorTokenSettings } from "./operator-token-settings.ts";
import { checkStaffTokens, createVerifyStaffToken, staffTokenSettings } from "./staff-token-settings.ts";

const SETTINGS = z.object({ ...operatorTokenSettings, ...staffTokenSettings }).check(checkStaffTokens);
const log = { warn: () => {} };

let directory: string;
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), "holdfast-tokens-"))));
afterAll(() => rm(directory, { recursive: true }));

const identity = await createOperatorIdentity();

/** True if a process with these settings accepts the token. */
async function accepts(settings: Record<string, string>, options?: TokenOptions): Promise<boolean> {
  const where = await identity.settings(join(directory, "jwks.json"));
  const verify = createVerifyToken(SETTINGS.parse({ ...where, ...settings }), log);
  return (await verify(await identity.token(options))) !== undefined;
}

const of = (claims: Record<string, unknown>): TokenOptions => ({ claims });

const nowS = Math.floor(Date.now() / 1_000);

test("a type has to be named", () => {
  const parse = (types: string) => operatorTokenSettings.OPERATOR_TOKEN_TYPES.safeParse(types).success;
  expect([parse("at+jwt"), parse("none"), parse(""), parse(" , ")]).toEqual([true, true, false, false]);
});

test.each<[string, Record<string, string>, TokenOptions, TokenOptions]>([
  [
    "the level of the sign-in",
    { OPERATOR_REQUIRED_ACR: "urn:example:gold, urn:example:silver" },
    of({ acr: "urn:example:silver" }),
    of({ acr: "urn:example:bronze" }),
  ],
  [
    "the methods of the sign-in",
    { OPERATOR_REQUIRED_AMR: "mfa,hwk" },
    of({ amr: ["hwk", "mfa"] }),
    of({ amr: ["pwd", "mfa"] }),
  ],
  ["the longest life", { OPERATOR_TOKEN_AGE_MAX: "5m" }, { expiresAt: "4m" }, { expiresAt: "6m" }],
  ["the type", { OPERATOR_TOKEN_TYPES: "none" }, { typ: null }, {}],
  ["the clock", { OPERATOR_TOKEN_LEEWAY: "1m" }, { issuedAt: nowS + 30 }, { issuedAt: nowS + 120 }],
  ["the issuer", { OPERATOR_JWT_ISSUER: "https://a.test" }, of({ iss: "https://a.test" }), {}],
  ["the audience", { OPERATOR_JWT_AUDIENCE: "another" }, of({ aud: "another" }), {}],
])("a setting demands %s of each token", async (_case, settings, meets, misses) => {
  expect(await accepts(settings, meets)).toBe(true);
  expect(await accepts(settings, misses)).toBe(false);
});

test.each<[string, Record<string, string>, Record<string, unknown>]>([
  ["level", { STAFF_REQUIRED_ACR: "urn:example:gold" }, { acr: "urn:example:gold" }],
  ["methods", { STAFF_REQUIRED_AMR: "mfa" }, { amr: ["pwd", "mfa"] }],
])("a setting demands the sign-in's %s of staff, too", async (_case, settings, proof) => {
  const where = await identity.settings(join(directory, "jwks.json"));
  const verify = createVerifyStaffToken(SETTINGS.parse({ ...where, ...settings }), log)!;
  const merchant = { aud: STAFF_AUDIENCE, merchant_id: "019a0000-0000-7000-8000-000000000001" };
  expect(await verify(await identity.token(of({ ...merchant, ...proof })))).toBeDefined();
  expect(await verify(await identity.token(of(merchant)))).toBeUndefined();
});

test("no operator's token is one of staff, by its audience or by the claim that the settings name", async () => {
  const staff = { STAFF_JWT_AUDIENCE: "the-staff-api", STAFF_MERCHANT_CLAIM: "shop" };
  const operators = "holdfast-operator-api";
  const settings = { ...staff, OPERATOR_JWT_AUDIENCE: operators };
  expect(await accepts(settings, of({ aud: [operators, "another"], merchant_id: "anything" }))).toBe(true);
  expect(await accepts(settings, of({ aud: [operators, "the-staff-api"] }))).toBe(false);
  expect(await accepts(settings, of({ aud: operators, shop: "anything" }))).toBe(false);
});

test("one audience for both kinds of people is refused, whoever issues their tokens", async () => {
  const where = await identity.settings(join(directory, "jwks.json"));
  const faults = (settings: Record<string, string | undefined>) =>
    SETTINGS.safeParse({ ...where, ...settings }).error?.issues.map(
      ({ path, message }) => `${path.join()} ${message}`,
    );
  const { OPERATOR_JWT_AUDIENCE: operators } = where;
  expect(faults({})).toBeUndefined();
  expect(faults({ STAFF_JWT_AUDIENCE: operators, STAFF_JWT_ISSUER: "https://another.example" })).toEqual([
    "STAFF_JWT_AUDIENCE must not be OPERATOR_JWT_AUDIENCE: a token is an operator's or a merchant's staff's",
  ]);
  expect(faults({ STAFF_JWKS: undefined, STAFF_JWT_ISSUER: undefined })).toBeUndefined();
  expect(faults({ STAFF_JWT_AUDIENCE: undefined })).toEqual(["STAFF_JWT_AUDIENCE STAFF_JWKS needs it"]);
});

test("settings say how recent a sign-in has to be for decisions about money: 15 minutes", async () => {
  const isRecent = async (settings: Record<string, string>, options: TokenOptions) => {
    const where = await identity.settings(join(directory, "jwks.json"));
    const verify = createVerifyToken(SETTINGS.parse({ ...where, ...settings }), log);
    return (await verify(await identity.token(options)))!.staleSignIn === undefined;
  };
  const signedIn = of({ auth_time: nowS - 1_000 });
  expect(await isRecent({}, signedIn)).toBe(false);
  expect(await isRecent({ OPERATOR_DECISION_SIGN_IN_AGE_MAX: "20m" }, signedIn)).toBe(true);
  expect(await isRecent({}, { issuedAt: nowS - 1_000 })).toBe(false);
  expect(await isRecent({ OPERATOR_DECISION_ISSUED_AGE_MAX: "20m" }, { issuedAt: nowS - 1_000 })).toBe(true);
  expect(await isRecent({ OPERATOR_DECISION_ISSUED_AGE_MAX: "0s" }, {})).toBe(false);
});

test("without these settings a token may say anything of its sign-in, and lives an hour at most", async () => {
  expect(await accepts({}, of({ acr: "urn:example:bronze", amr: ["pwd"] }))).toBe(true);
  expect(await accepts({}, { expiresAt: "61m" })).toBe(false);
});
