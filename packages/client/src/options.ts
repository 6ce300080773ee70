import { invalidArgument } from "./holdfast-error.ts";
import type { Fetch } from "./send-request.ts";

export type HoldfastOptions = {
  /** The gateway's address, `https://gateway.example`. Plain http is accepted for this machine only. */
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  /** Replaces the global `fetch`: for a proxy, a private authority, or a log. */
  fetch?: Fetch | undefined;
  /** The bound on the wait for one sending's answer; longer than the 20 s after which the gateway answers itself. */
  timeoutMs?: number | undefined;
  /** The number of times that a request is sent again. */
  retries?: number | undefined;
  /** Accepts plain http for another machine, where the network itself is trusted. */
  allowPlainHttp?: boolean | undefined;
};

/** Checked options. */
export type Settings = {
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  fetch: Fetch;
  timeoutMs: number;
  retries: number;
};

/** @throws HoldfastError that names the fault; no message repeats a secret. */
export function checkOptions(options: HoldfastOptions): Settings {
  refuseBrowser();
  const { apiKey, apiSecret, timeoutMs = 25_000, retries = 2 } = options;
  for (const [name, value] of Object.entries({ apiKey, apiSecret })) {
    // A header takes no other characters, and a secret that was read from a file often ends in a line break.
    if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value)) {
      throw invalidArgument("invalid_configuration", `${name} must be printable ASCII without spaces`);
    }
  }
  checkBound("timeoutMs", timeoutMs, { min: 1, max: 600_000 });
  checkBound("retries", retries, { min: 0, max: 10 });
  return {
    baseUrl: checkBaseUrl(options),
    apiKey,
    apiSecret,
    // The global object calls it: some platforms refuse a fetch that is called as a method of another object.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutMs,
    retries,
  };
}

/**
 * Refuses a browser, where every visitor could read the secret. A server may have a `window`, too: for rendering, or with
 * a whole document in tests.
 */
function refuseBrowser(): void {
  const { window, process }: Surroundings = globalThis;
  if (window?.document === undefined || typeof process?.versions?.node === "string") return;
  throw invalidArgument(
    "browser_refused",
    "this client has your API secret and must run on your server, never in a browser",
  );
}

/** The parts of a global object that tell a browser from a server. */
type Surroundings = { window?: { document?: unknown } | null; process?: { versions?: { node?: unknown } } };

/** The base URL without its last slash. Addresses are logged, so they must not contain secrets. */
function checkBaseUrl({ baseUrl, apiKey, apiSecret, allowPlainHttp = false }: HoldfastOptions): string {
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalidArgument("invalid_configuration", "baseUrl must be an https URL");
  }
  if (url.username !== "" || url.password !== "" || mentions(baseUrl, [apiKey, apiSecret])) {
    throw invalidArgument("secret_in_url", "baseUrl must not contain a user name, a password or a key");
  }
  if (url.search !== "" || url.hash !== "") {
    throw invalidArgument("invalid_configuration", "baseUrl must have neither a query nor a fragment");
  }
  if (url.protocol === "http:" && !allowPlainHttp && !LOOPBACK.test(url.hostname)) {
    throw invalidArgument(
      "invalid_configuration",
      "baseUrl must be https: plain http would send card numbers and the secret in clear",
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** True if a URL contains one of the secrets, plain or percent-encoded. */
export function mentions(url: string, secrets: readonly string[]): boolean {
  let decoded = url;
  try {
    decoded = decodeURIComponent(url);
  } catch {
    // A stray percent sign: only the text itself can be compared.
  }
  return secrets.some((secret) => url.includes(secret) || decoded.includes(secret));
}

function checkBound(name: string, value: number, { min, max }: { min: number; max: number }): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw invalidArgument("invalid_configuration", `${name} must be a whole number from ${min} to ${max}`);
}
