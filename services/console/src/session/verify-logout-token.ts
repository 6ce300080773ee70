import { jwtVerify, type JWTPayload, type JWTVerifyGetKey } from "jose";

/** The sessions that have ended at the identity provider: one session, or all of a person's. */
export type Logout = {
  /** The token's `jti`, by which it is good once. */
  tokenId: string;
  subject: string | undefined;
  providerSession: string | undefined;
};

/**
 * Verifies a logout token as OpenID Connect Back-Channel Logout 1.0 (2.6) says: signed by the provider, about a logout,
 * for this client, of the last minutes, and not an id token in its place.
 *
 * @throws errors.JOSEError for a token that is not valid
 */
export async function verifyLogoutToken(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, clientId }: { issuer: string; clientId: string },
): Promise<Logout | undefined> {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: ["RS256", "PS256", "ES256", "EdDSA"],
    requiredClaims: ["iat", "jti"],
    maxTokenAge: LOGOUT_TOKEN_AGE_S,
    clockTolerance: CLOCK_TOLERANCE_S,
  });
  if (!isLogoutType(protectedHeader.typ) || !isAboutLogout(payload)) return undefined;
  const { jti, sub, sid } = payload;
  const [subject, providerSession] = [nameIn(sub), nameIn(sid)];
  if (nameIn(jti) === undefined || (subject ?? providerSession) === undefined) return undefined;
  return { tokenId: jti!, subject, providerSession };
}

/** Providers give them two minutes, as the specification recommends. */
const LOGOUT_TOKEN_AGE_S = 150;
const CLOCK_TOLERANCE_S = 5;

/** Providers from before the final specification say nothing, or `JWT`. An access token says `at+jwt`. */
function isLogoutType(type: unknown): boolean {
  return (
    type === undefined || (typeof type === "string" && /^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(type))
  );
}

/** An id token has no such event, and has a `nonce`, which a logout token must not have. */
function isAboutLogout({ events, nonce }: JWTPayload): boolean {
  if (nonce !== undefined || typeof events !== "object" || events === null) return false;
  const event: unknown = Object.getOwnPropertyDescriptor(events, LOGOUT_EVENT)?.value;
  return typeof event === "object" && event !== null;
}

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

function nameIn(claim: unknown): string | undefined {
  return typeof claim === "string" && claim !== "" && claim.length <= 255 ? claim : undefined;
}
