// The sandbox's people, and tokens for people who call the API by hand. One key signs these tokens and the
// identity provider's.
import { createPublicKey } from "node:crypto";
import { calculateJwkThumbprint, importJWK, SignJWT, type JWK } from "jose";
import { OPERATOR_ROLES } from "@holdfast/contracts";
import { replaceFile } from "./replace-file.ts";

export type Operator = { name: string; roles: string[]; token: string };

export const operatorAudience = "holdfast-operator-api";
/** A day's work on one machine without a second sign-in. */
const TOKEN_AGE_S = 86_400;
export const operatorTokenAge = `${TOKEN_AGE_S}s`;

/** A person of a merchant's staff, with a token for those who call the API by hand. */
export type StaffMember = Operator & { merchantId: string };

export const staffAudience = "holdfast-staff-api";

export type Operators = {
  people: Operator[];
  /**
   * The person who onboards the sandbox's own merchants and creates the accounts of `--banks`, and does
   * nothing else. Whoever issues a credential may not decide about its requests, and everybody else in the
   * sandbox should be able to decide about these merchants' refunds.
   */
  installation: Operator;
  /** The private key with its name, for the identity provider. */
  signingKey: JWK;
};

/** Two of the merchant's staff, with tokens for those who call the API by hand. */
export async function createStaff(
  privateKey: JWK,
  { issuer, merchantId }: { issuer: string; merchantId: string },
): Promise<StaffMember[]> {
  const issuedAt = Math.floor(Date.now() / 1_000);
  return await Promise.all(
    staff.map(async (person) => ({
      ...(await signToken(privateKey, person, { issuer, issuedAt, merchantId })),
      merchantId,
    })),
  );
}

/** A person who can sign in to the console. */
export type SandboxPerson = {
  name: string;
  audience: "operator" | "staff";
  roles: string[];
  /** The merchant, for a person of its staff. */
  merchantId?: string;
};

/** The address of the sandbox's identity provider, as tokens name it. */
export function operatorIssuerOf({ identityProvider }: { identityProvider: number }): string {
  return `http://127.0.0.1:${identityProvider}`;
}

/** Signs a new token for each operator and writes the public key set that the operator API verifies them with. */
export async function createOperators(
  privateKey: JWK,
  { jwksFile, issuer }: { jwksFile: string; issuer: string },
): Promise<Operators> {
  const publicKey = publicKeyOf(privateKey);
  const kid = await calculateJwkThumbprint(publicKey);
  const jwks = { keys: [{ ...publicKey, kid, alg: algorithm, use: "sig" }] };
  replaceFile(jwksFile, `${JSON.stringify(jwks, null, 2)}\n`, 0o644);
  // One look at the clock: a token that lives a second longer than a day is refused.
  const issuedAt = Math.floor(Date.now() / 1_000);
  const signIn = async (person: Person) => await signToken(privateKey, person, { issuer, issuedAt });
  return {
    people: await Promise.all(people.map(signIn)),
    installation: await signIn(installation),
    signingKey: { ...privateKey, kid, alg: algorithm, use: "sig" },
  };
}

/**
 * Signs a new token for one of the sandbox's operators; undefined for an unknown name.
 *
 * @param issuer the running sandbox's issuer.
 */
export async function createToken(
  privateKey: JWK,
  issuer: string,
  name: string,
): Promise<Operator | undefined> {
  const person = people.find((each) => each.name === name);
  const issuedAt = Math.floor(Date.now() / 1_000);
  return person && (await signToken(privateKey, person, { issuer, issuedAt }));
}

export function operatorNames(): string[] {
  return people.map(({ name }) => name);
}

type Person = Omit<Operator, "token">;

async function signToken(
  privateKey: JWK,
  { name, roles }: Person,
  { issuer, issuedAt, merchantId }: { issuer: string; issuedAt: number; merchantId?: string },
): Promise<Operator> {
  const kid = await calculateJwkThumbprint(publicKeyOf(privateKey));
  const token = await new SignJWT({ roles, ...(merchantId !== undefined && { merchant_id: merchantId }) })
    .setProtectedHeader({ alg: algorithm, kid, typ: "at+jwt" })
    .setSubject(name)
    .setIssuer(issuer)
    .setAudience(merchantId === undefined ? operatorAudience : staffAudience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + TOKEN_AGE_S)
    .sign(await importJWK(privateKey, algorithm));
  return { name, roles, token };
}

function publicKeyOf(privateKey: JWK): JWK {
  return createPublicKey({ key: privateKey, format: "jwk" }).export({ format: "jwk" });
}

const algorithm = "ES256";

const everyRole = [...OPERATOR_ROLES];

// Two with every role, because some decisions take two different people.
const people = [
  { name: "alice", roles: everyRole },
  { name: "bora", roles: everyRole },
  { name: "vera", roles: ["viewer"] },
  { name: "omer", roles: ["onboarder"] },
];

/** The demo merchant's staff. */
const staff = [
  { name: "mina", roles: ["owner"] },
  { name: "selim", roles: ["support"] },
];

const installation = { name: "installation", roles: ["onboarder", "admin"] };
