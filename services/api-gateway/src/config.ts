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
    /** How long such an address is looked at: longer than a challenge may take (THREE_DS_SESSION_DURATION of payments). */
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
    /** Requests under way on one listener of this process; one more is refused as not started. */
    REQUESTS_IN_FLIGHT_MAX: integerSetting(1, 100_000).default(512),
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
  });

export type Config = z.infer<typeof configSchema>;

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
