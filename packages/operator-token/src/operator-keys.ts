import { readFile } from "node:fs/promises";
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from "jose";

/** The operators' signing keys cannot be read, so no token can be verified. */
export class OperatorKeysUnavailableError extends Error {
  override name = "OperatorKeysUnavailableError";
  readonly code = "operator_keys_unavailable";
}

/**
 * The keys that verify operators' tokens, from a URL or a file, as JWKS (RFC 7517). Both are read again when they are old
 * or a token names a key they do not have, so that keys can be rotated while the process runs.
 */
export function operatorKeys(location: string): JWTVerifyGetKey {
  const keys = /^https?:\/\//.test(location)
    ? createRemoteJWKSet(new URL(location), {
        timeoutDuration: FETCH_TIMEOUT_MS,
        cacheMaxAge: KEYS_MAX_AGE_MS,
        cooldownDuration: FETCH_PAUSE_MS,
      })
    : keysOfFile(location);
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (cause) {
      if (cause instanceof errors.JOSEError && !KEYS_NOT_HAD.has(cause.code)) throw cause;
      throw new OperatorKeysUnavailableError("the operators' keys cannot be read", { cause });
    }
  };
}

const FETCH_TIMEOUT_MS = 5_000;
const KEYS_MAX_AGE_MS = 60_000;
/** A token with an unknown key makes the keys be fetched again, but not at the pace at which such tokens are sent. */
const FETCH_PAUSE_MS = 1_000;

/** Errors of jose when fetching failed; its other errors are about the token. */
const KEYS_NOT_HAD = new Set([errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code]);

function keysOfFile(path: string): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | undefined;
  let readAt = 0;
  const readAgain = async () => {
    keys = createLocalJWKSet(JSON.parse(await readFile(path, "utf8")));
    readAt = performance.now();
    return keys;
  };
  return async (header, token) => {
    const current = keys && performance.now() - readAt < KEYS_MAX_AGE_MS ? keys : await readAgain();
    try {
      return await current(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return await (
        await readAgain()
      )(header, token);
    }
  };
}
