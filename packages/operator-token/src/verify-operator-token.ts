import {
  isLive,
  personOf,
  OPERATOR_ROLES,
  STAFF_ROLES,
  type StaleSignIn,
  type VerifiedOperator,
  type VerifiedStaff,
} from "@holdfast/contracts";
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from "jose";
import { z } from "zod";

/** @returns undefined for a token that is not valid. @throws OperatorKeysUnavailableError */
export type VerifyToken = (token: string) => Promise<VerifiedOperator | undefined>;

/** Verifies the token of a merchant's staff. */
export type VerifyStaffToken = (token: string) => Promise<VerifiedStaff | undefined>;

export type OperatorTokenRules = {
  issuer: string;
  audience: string;
  /** The audience of the other kind of people; a token that names both audiences is invalid. */
  otherAudience: string | undefined;
  /** The claim that names the merchant whose staff a person is. */
  merchantClaim: string;
  rolesClaim: string;
  /** The greatest time from `iat` to `exp`. */
  ageMaxMs: number;
  /** The allowed values of `typ`; `none` stands for a token without one. */
  types: readonly string[];
  /** The greatest difference between the provider's clock and ours. */
  leewayMs: number;
  /** The token's `acr` has to be one of these; an empty list allows any. */
  requiredAcr: readonly string[];
  /** The token's `amr` has to contain all of these. */
  requiredAmr: readonly string[];
  /** The greatest age of a sign-in for a decision about money. */
  recent: RecentSignIn;
};

export type RecentSignIn = {
  /** The greatest age from `auth_time` on. */
  signInAgeMaxMs: number;
  /**
   * The greatest age from `iat` on, for a token without `auth_time`; with 0 such a token allows no decision.
   */
  issuedAgeMaxMs: number;
};

/**
 * The person of a bearer token that is valid, with the roles that an operator can have. A token with the claim of a
 * merchant's staff is invalid, whatever else it says.
 *
 * @throws OperatorKeysUnavailableError
 */
export async function verifyOperatorToken(
  token: string,
  keys: JWTVerifyGetKey,
  rules: OperatorTokenRules,
): Promise<VerifiedOperator | undefined> {
  const person = await verifyAccessToken(token, keys, rules);
  if (!person || Object.hasOwn(person.claims, rules.merchantClaim)) return undefined;
  return {
    subject: person.subject,
    person: personOf({ kind: "operator", issuer: rules.issuer, subject: person.subject }),
    roles: rolesIn(OPERATOR_ROLES, person.claims[rules.rolesClaim]),
    staleSignIn: staleSignIn(person.claims, rules),
  };
}

/**
 * Verifies the token of a merchant's staff. A token that names no merchant, by its id as operators see it, is
 * invalid.
 *
 * @throws OperatorKeysUnavailableError
 */
export async function verifyStaffToken(
  token: string,
  keys: JWTVerifyGetKey,
  rules: OperatorTokenRules,
): Promise<VerifiedStaff | undefined> {
  const person = await verifyAccessToken(token, keys, rules);
  const merchant = merchantIdSchema.safeParse(person?.claims[rules.merchantClaim]);
  if (!person || !merchant.success) return undefined;
  return {
    subject: person.subject,
    person: personOf({ kind: "staff", issuer: rules.issuer, subject: person.subject }),
    merchantId: merchant.data,
    roles: rolesIn(STAFF_ROLES, person.claims[rules.rolesClaim]),
    staleSignIn: staleSignIn(person.claims, rules),
  };
}

/** A merchant's id is a UUIDv7. The id of a merchant's test mode is not accepted. */
const merchantIdSchema = z
  .uuid()
  .toLowerCase()
  .refine((id) => isLive(id));

/**
 * The person of a valid bearer token: signed by one of the keys with a public-key algorithm, an access token for this
 * API, not expired, and never meant to live longer than the rules allow.
 *
 * @throws OperatorKeysUnavailableError
 */
async function verifyAccessToken(
  token: string,
  keys: JWTVerifyGetKey,
  rules: OperatorTokenRules,
): Promise<{ subject: string; claims: JWTPayload } | undefined> {
  if (token.length > TOKEN_LENGTH_MAX) return undefined;
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: rules.issuer,
      audience: rules.audience,
      // A symmetric algorithm would use the public key as a secret.
      algorithms: ["RS256", "ES256", "EdDSA"],
      requiredClaims: ["exp", "iat", "sub"],
      clockTolerance: rules.leewayMs / 1_000,
    });
    if (!isOfType(rules.types, protectedHeader.typ) || isForOthers(payload, rules)) return undefined;
    if (!livesShortly(payload, rules) || !showsRequired(payload, rules)) return undefined;
    const { sub } = payload;
    if (!isName(sub)) return undefined;
    return { subject: sub, claims: payload };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** The limit of all headers of a request together. */
const TOKEN_LENGTH_MAX = 16_384;

/** A log-out token or an id token with a type is no access token. `application/` may be left out (RFC 7515, 4.1.9). */
function isOfType(types: readonly string[], given: unknown): boolean {
  const type = typeof given === "string" ? given : given === undefined ? "none" : "";
  const bare = (name: string) => name.toLowerCase().replace(/^application\//, "");
  return types.some((name) => bare(name) === bare(type));
}

function isForOthers({ aud }: JWTPayload, { otherAudience }: OperatorTokenRules): boolean {
  return otherAudience !== undefined && [aud].flat().includes(otherAudience);
}

function livesShortly(
  { iat = Infinity, exp = Infinity }: JWTPayload,
  { ageMaxMs, leewayMs }: OperatorTokenRules,
): boolean {
  return iat <= (Date.now() + leewayMs) / 1_000 && exp - iat <= ageMaxMs / 1_000;
}

function showsRequired({ acr, amr }: JWTPayload, { requiredAcr, requiredAmr }: OperatorTokenRules): boolean {
  const methods: unknown[] = Array.isArray(amr) ? amr : [];
  const isStrong = requiredAcr.length === 0 || requiredAcr.some((level) => level === acr);
  return isStrong && requiredAmr.every((method) => methods.includes(method));
}

/**
 * True if the person signed in too long ago for a decision about money. The provider gives the time as
 * `auth_time` (RFC 9068, 2.2.1). A token without it has only `iat`: the person was there then, or has a
 * session at the provider. An `auth_time` that is malformed or in the future is not recent.
 */
function staleSignIn(
  { auth_time: authTime, iat = 0 }: JWTPayload,
  { recent: { signInAgeMaxMs, issuedAgeMaxMs }, leewayMs }: OperatorTokenRules,
): StaleSignIn | undefined {
  const [at, ageMaxMs] = authTime === undefined ? [iat, issuedAgeMaxMs] : [authTime, signInAgeMaxMs];
  const ageMs = typeof at === "number" ? Date.now() - at * 1_000 : Infinity;
  const isRecent = ageMaxMs > 0 && ageMs >= -leewayMs && ageMs <= ageMaxMs + leewayMs;
  return isRecent ? undefined : { maxAgeS: signInAgeMaxMs / 1_000 };
}

/**
 * A name for the audit log: 1 to 200 characters, none of them a control or formatting character, of a private use,
 * unassigned or half of a pair.
 */
function isName(subject: unknown): subject is string {
  return typeof subject === "string" && /^\P{C}{1,200}$/u.test(subject) && subject.trim() === subject;
}

/** The roles in an array or a single text; a name that is no role is ignored. */
function rolesIn<Role extends string>(known: readonly Role[], claim: unknown): ReadonlySet<Role> {
  const given: unknown[] = Array.isArray(claim) ? claim : [claim];
  return new Set(known.filter((role) => given.includes(role)));
}
