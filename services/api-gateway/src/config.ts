import {
  commonSettings,
  durationSetting,
  integerSetting,
  keyRingSetting,
  portSetting,
  textSetting,
  urlSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";
import { createClientAddress } from "./http/client-address.ts";

/**
 * Environment variables of the gateway. One image runs as several deployments: a listener without a port is off, and
 * what only it needs need not be there, so that the operators' deployment has no card keys.
 */
export const configSchema = z
  .object({
    ...commonSettings,
    MERCHANT_API_PORT: portSetting().optional(),
    OPERATOR_API_PORT: portSetting().optional(),
    PUBLIC_PAGES_PORT: portSetting().optional(),
    /** Where cardholders reach the public pages; the merchant API tells them, too. */
    PUBLIC_URL: urlSetting("https:", "http:").optional(),

    /** Signs the addresses that a cardholder's browser carries to and from the issuer; used for nothing else. */
    THREE_DS_STATE_KEYS: keyRingSetting().optional(),
    /**
     * How long such an address is looked at: longer than a challenge may take (THREE_DS_SESSION_DURATION of payments).
     */
    THREE_DS_STATE_LIFETIME: durationSetting().default(7_200_000),

    /** The same ring as the payments service's. */
    CARD_SEALING_KEYS: keyRingSetting().optional(),
    /** Key the hashes of API secrets; a credential is checked under the pepper it was made with. */
    CREDENTIAL_PEPPERS: keyRingSetting().optional(),
    /** A revoked key works this much longer; at most 10 s are promised. */
    CREDENTIAL_CACHE_TTL: durationSetting()
      .refine((ttlMs) => ttlMs >= 1 && ttlMs <= 10_000, { error: "must be 1ms to 10s" })
      .default(5_000),

    /** Where the operators' signing keys are: a URL, or the path of a file. */
    OPERATOR_JWKS: textSetting("must be a URL or the path of a file").optional(),
    OPERATOR_JWT_ISSUER: textSetting("must be the token's iss").optional(),
    OPERATOR_JWT_AUDIENCE: textSetting("must be the token's aud").optional(),
    OPERATOR_ROLES_CLAIM: textSetting("must be the name of a claim").default("roles"),

    /** How long a service may take for a command; shorter than the gateway waits for it, by the way back. */
    HANDLER_TIMEOUT: durationSetting().default(18_000),
    REQUEST_TIMEOUT: durationSetting().default(20_000),
    /**
     * How long a connection may stay idle between two requests. Longer than the load balancer's own (60 s in most), so
     * that it is the load balancer that closes and never we, just as it sends the next request.
     */
    KEEP_ALIVE_TIMEOUT: durationSetting()
      .refine((timeoutMs) => timeoutMs >= 1_000 && timeoutMs <= 3_600_000, { error: "must be 1s to 1h" })
      .default(65_000),
    /**
     * Ranges of the proxies in front, such as `10.0.0.0/8,fd00::/8`: only from these is X-Forwarded-For believed, and
     * with none it never is.
     */
    TRUSTED_PROXIES: rangesSetting().prefault(""),

    // Limits. Each process counts for itself: with n replicas a client can have up to n times as much.

    /** Requests under way in each listener of this process; one more is refused as not started, with a 503. */
    REQUESTS_IN_FLIGHT_MAX: integerSetting(1, 100_000).default(512),
    /** Open connections of each listener of this process; one more is closed as soon as it is opened. */
    CONNECTIONS_MAX: integerSetting(1, 100_000).default(8_192),
    /** Requests a second of one merchant, and the largest burst; more are refused with a 429. */
    RATE_LIMIT_PER_SECOND: integerSetting(1, 1_000_000).default(100),
    /**
     * Failed sign-ins a minute from one client address (of IPv6, from one /64); then the address is locked, with a 429.
     */
    FAILED_SIGN_INS_PER_MINUTE_PER_IP: integerSetting(1, 1_000_000).default(60),
    /** Failed sign-ins a minute with one API key, from wherever; more are answered 429. Never stops correct ones. */
    FAILED_SIGN_INS_PER_MINUTE_PER_KEY: integerSetting(1, 1_000_000).default(60),
    /** Requests a minute of the public pages from one client address (of IPv6, from one /64); more are answered 429. */
    PAGE_REQUESTS_PER_MINUTE_PER_IP: integerSetting(1, 1_000_000).default(600),
    /** From the first byte of a request until its headers are there; also how long a new connection may be silent. */
    CLIENT_HEADERS_TIMEOUT: durationSetting()
      .refine((ms) => ms >= 1, { error: "must be at least 1ms" })
      .default(10_000),
    /** From the first byte of a request until its last. Looked at once a second: clients are cut off within 15 s. */
    CLIENT_REQUEST_TIMEOUT: durationSetting().default(14_000),
    /** From an answer until the client has taken all of it. */
    CLIENT_ANSWER_TIMEOUT: durationSetting()
      .refine((ms) => ms >= 1, { error: "must be at least 1ms" })
      .default(15_000),
  })
  .check(({ value, issues }) => {
    const fault = (name: keyof typeof value, message: string) =>
      issues.push({ code: "custom", input: undefined, path: [name], message });

    if (LISTENERS.every(({ port }) => value[port] === undefined)) {
      fault(
        "MERCHANT_API_PORT",
        `at least one of ${LISTENERS.map(({ port }) => port).join(", ")} must be set`,
      );
    }
    for (const { port, needs } of LISTENERS) {
      for (const name of needs) {
        if (value[port] !== undefined && value[name] === undefined) fault(name, `${port} needs it`);
      }
    }
    if (value.HANDLER_TIMEOUT >= value.REQUEST_TIMEOUT)
      fault("HANDLER_TIMEOUT", "must be less than REQUEST_TIMEOUT");
    if (value.CLIENT_HEADERS_TIMEOUT > value.CLIENT_REQUEST_TIMEOUT)
      fault("CLIENT_HEADERS_TIMEOUT", "must not be more than CLIENT_REQUEST_TIMEOUT");
  });

export type Config = z.infer<typeof configSchema>;

function rangesSetting() {
  const error = "must be ranges separated by commas, such as 10.0.0.0/8,fd00::/8";
  return z.string({ error }).transform((value, context): string[] => {
    const ranges = value.split(",").flatMap((range) => range.trim() || []);
    // Names such as `loopback` are left out: what is trusted stands in the configuration, whole.
    if (ranges.every((range) => /^[\da-f.:]+\/\d{1,3}$/i.test(range) && isTrustable(range))) return ranges;
    context.addIssue({ code: "custom", message: error });
    return z.NEVER;
  });
}

function isTrustable(range: string): boolean {
  try {
    createClientAddress([range]);
    return true;
  } catch {
    return false;
  }
}

const LISTENERS = [
  {
    port: "MERCHANT_API_PORT",
    needs: ["CARD_SEALING_KEYS", "CREDENTIAL_PEPPERS", "PUBLIC_URL", "THREE_DS_STATE_KEYS"],
  },
  {
    port: "OPERATOR_API_PORT",
    needs: ["CREDENTIAL_PEPPERS", "OPERATOR_JWKS", "OPERATOR_JWT_ISSUER", "OPERATOR_JWT_AUDIENCE"],
  },
  { port: "PUBLIC_PAGES_PORT", needs: ["CARD_SEALING_KEYS", "PUBLIC_URL", "THREE_DS_STATE_KEYS"] },
] as const;
