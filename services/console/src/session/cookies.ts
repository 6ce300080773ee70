/** The session's id. With this prefix browsers refuse a cookie that another host, or a page without TLS, has set. */
export const SESSION_COOKIE = "__Host-holdfast-session";
/** The beginning of the names of sign-ins that are under way, of which each tab has its own. */
export const LOGIN_COOKIES = "__Host-holdfast-login-";

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
  return cookiesOf(header, name).find(([given]) => given === name)?.[1];
}

/** The cookies of ours whose names begin so. */
export function cookiesOf(header: string | undefined, prefix: string): [name: string, value: string][] {
  return (header ?? "").split(";").flatMap((pair): [string, string][] => {
    const [name = "", value = ""] = pair.trim().split("=", 2);
    return name.startsWith(prefix) && /^[\w-]{1,3000}$/.test(value) ? [[name, value]] : [];
  });
}
