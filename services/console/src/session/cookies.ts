/** The session's id. With this prefix browsers refuse a cookie that another host, or a page without TLS, has set. */
export const SESSION_COOKIE = "__Host-holdfast-session";
/** A sign-in that is under way. */
export const LOGIN_COOKIE = "__Host-holdfast-login";

/**
 * Sets a cookie for everything below `/` of this very host, unseen by scripts. With `Lax` browsers send it when the
 * provider sends people back.
 */
export function setCookie(name: string, value: string, maxAgeSeconds?: number): string {
  const age = maxAgeSeconds === undefined ? "" : `; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax${age}`;
}

export function clearCookie(name: string): string {
  return setCookie(name, "", 0);
}

/** A value of ours is base64url; anything else was not set by us. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? "").split(";")) {
    const [key, value] = pair.trim().split("=", 2);
    if (key === name && value !== undefined && /^[\w-]{1,3000}$/.test(value)) return value;
  }
  return undefined;
}
