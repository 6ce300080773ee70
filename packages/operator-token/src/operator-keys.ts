import { readFile } from "node:fs/promises";
import { httpFetch } from "@holdfast/service-runtime";
import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose";

/** The operators' signing keys cannot be read, so no token can be verified. */
export class OperatorKeysUnavailableError extends Error {
  override name = "OperatorKeysUnavailableError";
  readonly code = "operator_keys_unavailable";
}

export type OperatorKeysOptions = {
  /** The time for which keys serve that cannot be read again. */
  staleMaxMs: number;
  /** Called for each reading that failed. @param ageMs of the keys that are known, if there are any. */
  onFailure: (error: unknown, ageMs: number | undefined) => void;
  timeoutMs?: number;
  /** Monotonic milliseconds. */
  now?: () => number;
};

/**
 * The keys that verify operators' tokens, from a URL or a file, as JWKS (RFC 7517). They are read again when
 * they are old or a token names an unknown key, so that keys can be rotated while the process runs. While
 * they cannot be read, known keys are used for a bounded time; a token with any other key is refused.
 */
export function operatorKeys(
  location: string,
  { staleMaxMs, onFailure, timeoutMs = FETCH_TIMEOUT_MS, now = () => performance.now() }: OperatorKeysOptions,
): JWTVerifyGetKey {
  const source = /^https?:\/\//.test(location)
    ? keysOfUrl(new URL(location), timeoutMs)
    : keysOfFile(location);
  let known: { keys: JWTVerifyGetKey; readAt: number } | undefined;
  let failedAt = -Infinity;
  let reading: Promise<void> | undefined;

  const read = async () => {
    try {
      known = { keys: await source.read(), readAt: now() };
      failedAt = -Infinity;
    } catch (error) {
      failedAt = now();
      onFailure(error, known && now() - known.readAt);
      if (!known || now() - known.readAt > staleMaxMs)
        throw new OperatorKeysUnavailableError("the operators' keys cannot be read", { cause: error });
    } finally {
      reading = undefined;
    }
  };
  const readOnce = () => (reading ??= read());

  /**
   * Waits for a reading, unless one has just failed: a provider that hangs delays only one request a minute.
   */
  const refresh = async () => {
    const isStale = !known || now() - known.readAt >= KEYS_MAX_AGE_MS;
    if (!isStale || (known && now() - known.readAt <= staleMaxMs && now() - failedAt < KEYS_MAX_AGE_MS))
      return;
    await readOnce();
  };

  return async (header, token) => {
    await refresh();
    const { keys, readAt } = known!;
    try {
      return await keys(header, token);
    } catch (error) {
      const isNew = error instanceof errors.JWKSNoMatchingKey;
      if (!isNew || now() - Math.max(readAt, failedAt) < source.pauseMs) throw error;
      await readOnce();
      return await known!.keys(header, token);
    }
  };
}

const FETCH_TIMEOUT_MS = 5_000;
const KEYS_MAX_AGE_MS = 60_000;
/** A token with an unknown key makes the keys be fetched again, but not at the pace at which such tokens are sent. */
const FETCH_PAUSE_MS = 1_000;

type KeySource = {
  read: () => Promise<JWTVerifyGetKey>;
  /** The time between two readings because of an unknown key. */
  pauseMs: number;
};

function keysOfUrl(url: URL, timeoutDuration: number): KeySource {
  // The library reads only when it is asked to.
  const keys = createRemoteJWKSet(url, {
    timeoutDuration,
    cacheMaxAge: Infinity,
    cooldownDuration: Infinity,
    [customFetch]: httpFetch,
  });
  return { read: async () => (await keys.reload(), keys), pauseMs: FETCH_PAUSE_MS };
}

function keysOfFile(path: string): KeySource {
  return { read: async () => createLocalJWKSet(JSON.parse(await readFile(path, "utf8"))), pauseMs: 0 };
}
