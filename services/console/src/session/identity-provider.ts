import { operatorKeys } from "@holdfast/operator-token";
import { httpFetch } from "@holdfast/service-runtime";
import { errors, type JWTVerifyGetKey } from "jose";
import * as client from "openid-client";
import { verifyLogoutToken, type Logout } from "./verify-logout-token.ts";

export type IdentityProviderSettings = {
  issuer: string;
  clientId: string;
  clientPassword: string | undefined;
  /** The longest wait for one answer of it. */
  timeoutMs: number;
  scope: string;
  resource: string | undefined;
  rolesClaim: string;
  merchantClaim: string;
  redirectUrl: string;
  /** Called where the provider's keys cannot be read. */
  onKeysFailure: (error: unknown) => void;
};

/** The state of a sign-in under way, kept until the browser is back. */
export type LoginAttempt = {
  state: string;
  nonce: string;
  verifier: string;
  /** The required age of the proof of identity, in seconds. */
  maxAge: number;
};

export type IdentityProvider = {
  /** @throws IdentityProviderUnavailableError */
  begin(maxAge: number): Promise<{ url: URL; attempt: LoginAttempt }>;
  /** @returns undefined for an answer that signs nobody in. @throws IdentityProviderUnavailableError */
  complete(callback: URL, attempt: LoginAttempt): Promise<Identity | undefined>;
  /** The issuer, as its tokens name it. */
  readonly issuer: string;
  /** @returns undefined for anything but a logout token of the provider's. @throws IdentityProviderUnavailableError */
  verifyLogout(token: string): Promise<Logout | undefined>;
  /** The address at which the person ends the session at the provider, if it has one. */
  endSessionUrl(idToken: string, returnTo: string): Promise<URL | undefined>;
};

export type Identity = {
  subject: string;
  roles: string[];
  /** Set for a merchant's staff. */
  merchantId: string | undefined;
  accessToken: string;
  idToken: string;
  providerSession: string | undefined;
  authenticatedAt: Date;
  accessEndsAt: Date;
};

/** The provider does not answer, or not as OpenID Connect says. */
export class IdentityProviderUnavailableError extends Error {
  override name = "IdentityProviderUnavailableError";
  readonly code = "identity_provider_unavailable";
}

/**
 * OpenID Connect: the authorization code flow with PKCE (RFC 7636), state, nonce and, always, the age of the proof of
 * identity. Discovery happens at the first sign-in, so that the console starts without the provider.
 */
export function createIdentityProvider(settings: IdentityProviderSettings): IdentityProvider {
  let known: Promise<client.Configuration> | undefined;
  const configuration = async () => {
    try {
      return await (known ??= discover(settings));
    } catch (cause) {
      known = undefined;
      throw new IdentityProviderUnavailableError("the identity provider cannot be reached", { cause });
    }
  };
  let keys: JWTVerifyGetKey | undefined;
  return {
    issuer: settings.issuer,
    async verifyLogout(token) {
      const { issuer, jwks_uri: address } = (await configuration()).serverMetadata();
      if (address === undefined) throw new IdentityProviderUnavailableError("the provider names no keys");
      try {
        keys ??= operatorKeys(address, {
          timeoutMs: settings.timeoutMs,
          staleMaxMs: KEYS_STALE_MAX_MS,
          onFailure: settings.onKeysFailure,
        });
        return await verifyLogoutToken(token, keys, { issuer, clientId: settings.clientId });
      } catch (cause) {
        if (cause instanceof errors.JOSEError) return undefined;
        throw new IdentityProviderUnavailableError("the provider's keys cannot be had", { cause });
      }
    },
    begin: async (maxAge) => await beginAt(await configuration(), settings, maxAge),
    complete: async (callback, attempt) =>
      await completeAt(await configuration(), settings, { callback, attempt }),
    async endSessionUrl(idToken, returnTo) {
      const config = await configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(config, {
        id_token_hint: idToken,
        post_logout_redirect_uri: returnTo,
      });
    },
  };
}

/** A logout is believed by the keys that were read last while they cannot be read again. */
const KEYS_STALE_MAX_MS = 3_600_000;

async function beginAt(
  config: client.Configuration,
  { redirectUrl, scope, resource }: IdentityProviderSettings,
  maxAge: number,
): Promise<{ url: URL; attempt: LoginAttempt }> {
  const attempt: LoginAttempt = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    maxAge,
  };
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUrl,
    scope,
    ...(resource !== undefined && { resource }),
    code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: "S256",
    state: attempt.state,
    nonce: attempt.nonce,
    max_age: String(maxAge),
    // Some providers ignore `max_age=0`.
    ...(maxAge === 0 && { prompt: "login" }),
  });
  return { url, attempt };
}

async function completeAt(
  config: client.Configuration,
  { resource, ...claims }: IdentityProviderSettings,
  { callback, attempt }: { callback: URL; attempt: LoginAttempt },
): Promise<Identity | undefined> {
  try {
    const tokens = await client.authorizationCodeGrant(
      config,
      callback,
      {
        pkceCodeVerifier: attempt.verifier,
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        maxAge: attempt.maxAge,
        idTokenExpected: true,
      },
      resource === undefined ? {} : { resource },
    );
    return identityOf(tokens, claims);
  } catch (cause) {
    if (isRefusal(cause)) return undefined;
    throw new IdentityProviderUnavailableError("the identity provider did not answer", { cause });
  }
}

async function discover({ issuer, clientId, clientPassword, timeoutMs }: IdentityProviderSettings) {
  const url = new URL(issuer);
  return await client.discovery(
    url,
    clientId,
    undefined,
    clientPassword === undefined ? client.None() : client.ClientSecretBasic(clientPassword),
    {
      timeout: timeoutMs / 1_000,
      [client.customFetch]: httpFetch,
      // The settings have refused plain text to other machines already, unless it was allowed by name.
      ...(url.protocol === "http:" && { execute: [client.allowInsecureRequests] }),
    },
  );
}

/** Tells a refusal of the browser's return, by us or the provider, from a provider that cannot be reached. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof client.AuthorizationResponseError ||
    (error instanceof client.ResponseBodyError && error.status < 500) ||
    (error instanceof client.ClientError && error.code !== "OAUTH_TIMEOUT")
  );
}

function identityOf(
  tokens: Awaited<ReturnType<typeof client.authorizationCodeGrant>>,
  { rolesClaim, merchantClaim }: Pick<IdentityProviderSettings, "rolesClaim" | "merchantClaim">,
): Identity | undefined {
  const claims = tokens.claims();
  const { id_token: idToken } = tokens;
  const expiresIn = tokens.expiresIn();
  if (!claims || idToken === undefined || claims.auth_time === undefined) return undefined;
  const given: unknown[] = [claims[rolesClaim]].flat();
  const merchant: unknown = claims[merchantClaim];
  return {
    subject: claims.sub,
    roles: given.filter((role) => typeof role === "string"),
    merchantId: typeof merchant === "string" && merchant !== "" ? merchant : undefined,
    accessToken: tokens.access_token,
    idToken,
    providerSession: typeof claims["sid"] === "string" ? claims["sid"] : undefined,
    authenticatedAt: new Date(claims.auth_time * 1_000),
    accessEndsAt: new Date(Date.now() + (expiresIn ?? DEFAULT_ACCESS_S) * 1_000),
  };
}

/** A provider should say how long a token is valid (RFC 6749, 5.1). */
const DEFAULT_ACCESS_S = 300;
