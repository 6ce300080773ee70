/** The path that a sign-in leads back to: always a page of ours. */
export function returnPath(wanted: unknown): string {
  if (typeof wanted !== "string" || wanted.length > 1_000 || !wanted.startsWith("/")) return "/";
  // A browser reads `\` as `/`, and `//host` as another host.
  if (!URL.canParse(wanted, OWN) || /[\\\s]/.test(wanted)) return "/";
  const { origin, pathname, search } = new URL(wanted, OWN);
  if (origin !== OWN || pathname.startsWith("//")) return "/";
  return /^\/(login|logout)\b/.test(pathname) ? "/" : pathname + search;
}

const OWN = "https://console.invalid";
