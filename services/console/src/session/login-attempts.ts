import { createHash } from "node:crypto";
import { openAtRest, sealAtRest, SecretUnreadableError, type RestKeyRing } from "@holdfast/sealing";
import { z } from "zod";
import { clearCookie, cookiesOf, LOGIN_COOKIES, setCookie } from "./cookies.ts";
import type { LoginAttempt } from "./identity-provider.ts";

/** A sign-in under way: it may be completed until it is ten minutes old. */
export type StoredAttempt = LoginAttempt & { returnTo: string; begunAt: number };

const attemptSchema = z.object({
  nonce: z.string(),
  verifier: z.string(),
  maxAge: z.int(),
  returnTo: z.string(),
  begunAt: z.int(),
});

/** The lifetime after which browsers delete the cookie; a later one is refused. */
const ATTEMPT_MS = 600_000;

/** A browser sends all of them with each request, and some proxies take 8 KiB of cookies: about a dozen sign-ins fit. */
const BYTES_MAX = 6_000;

/**
 * Keeps a sign-in under way in a sealed cookie of its own. Beginning many sign-ins costs the database
 * nothing, and the tabs of a restored window do not end each other's. The oldest ones end when the cookies
 * together get too long.
 * @param header the request's cookies.
 * @returns values of `Set-Cookie`.
 */
export function keepAttempt(
  keys: RestKeyRing,
  header: string | undefined,
  { state, ...attempt }: StoredAttempt,
): string[] {
  const name = cookieOf(state);
  const value = sealAtRest(keys, ownerOf(name), JSON.stringify(attempt)).toString("base64url");
  const former = cookiesOf(header, LOGIN_COOKIES)
    .map((cookie) => ({ cookie, begunAt: open(keys, ...cookie)?.begunAt ?? -Infinity }))
    .toSorted((one, other) => other.begunAt - one.begunAt);
  let bytes = name.length + value.length;
  const ended = former.filter(({ cookie, begunAt }) => {
    bytes += cookie.join("=").length;
    return bytes > BYTES_MAX || begunAt === -Infinity;
  });
  return [...ended.map(({ cookie }) => clearCookie(cookie[0])), setCookie(name, value, ATTEMPT_MS / 1_000)];
}

/**
 * The sign-in that the provider's answer belongs to, and the value of `Set-Cookie` that ends only that one.
 * @param state the state in the answer.
 * @returns undefined if this browser began no such sign-in, or too long ago.
 */
export function takeAttempt(
  keys: RestKeyRing,
  header: string | undefined,
  state: string,
): { attempt: StoredAttempt; ended: string } | undefined {
  const name = cookieOf(state);
  const found = cookiesOf(header, name).find(([given]) => given === name);
  const attempt = found && open(keys, ...found);
  return attempt && { attempt: { ...attempt, state }, ended: clearCookie(name) };
}

/** @returns undefined for a cookie that we did not set, or too long ago. */
function open(keys: RestKeyRing, name: string, value: string): z.infer<typeof attemptSchema> | undefined {
  try {
    const text = openAtRest(keys, ownerOf(name), Buffer.from(value, "base64url"));
    const attempt = attemptSchema.parse(JSON.parse(text));
    return Date.now() - attempt.begunAt < ATTEMPT_MS ? attempt : undefined;
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined;
    throw error;
  }
}

/** The cookie's name is of the state that the provider repeats, and what is sealed in it is sealed to this name. */
function cookieOf(state: string): string {
  return LOGIN_COOKIES + createHash("sha256").update(state).digest("base64url").slice(0, 22);
}

function ownerOf(name: string): string {
  return `console login ${name}`;
}
