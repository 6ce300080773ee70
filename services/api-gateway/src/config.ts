import type { GatewayFace } from "@holdfast/contracts";
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
 * Environment variables of the gateway. One image runs as three deployments, each with one face: the listener whose port
 * is set. What only another face needs need not be there, so that the operators' deployment has no card keys.
 */
export const configSchema = z
  .object({
    ...commonSettings,
    MERCHANT_API_PORT: portSetting()
      .optional()
      .describe("The process has the face for merchants: their API listens here."),
    OPERATOR_API_PORT: portSetting()
      .optional()
      .describe("The process has the face for operators: their API listens here."),
    PUBLIC_PAGES_PORT: portSetting()
      .optional()
      .describe(
        "The process has the face for browsers: the checkout and 3-D Secure pages listen here. Exactly one of these three is set.",
      ),
    PUBLIC_URL: urlSetting("https:", "http:")
      .optional()
      .describe(
        "Where buyers' browsers reach the public pages. Required by the merchant API, which answers with such addresses, and by the public pages.",
      ),

    THREE_DS_STATE_KEYS: keyRingSetting()
      .optional()
      .describe(
        "Signs the addresses that a buyer's browser carries to and from the issuer. Required by the merchant API and the public pages.",
      ),
    THREE_DS_STATE_LIFETIME: durationSetting()
      .default(7_200_000)
      .describe(
        "How long such an address is accepted. It must be longer than a challenge may take (`THREE_DS_SESSION_DURATION` of payments).",
      ),

    CARD_SEALING_KEYS: keyRingSetting()
      .optional()
      .describe(
        "Encrypts card data on its way to payments, which has the same key ring. Required by the merchant API and the public pages.",
      ),
    CREDENTIAL_PEPPERS: keyRingSetting()
      .optional()
      .describe(
        "Keys the hashes of API secrets; a secret is checked under the key it was created with. Required by the merchant API and the operator API.",
      ),
    CREDENTIAL_CACHE_TTL: durationSetting({ min: "1ms", max: "10s" })
      .default(5_000)
      .describe("How long a revoked API key still works when the bus is down."),

    OPERATOR_JWKS: textSetting("must be a URL or the path of a file")
      .optional()
      .describe(
        "The public keys of the operators' identity provider (JSON Web Key Set). Required by the operator API.",
      ),
    OPERATOR_JWT_ISSUER: textSetting("must be the token's iss")
      .optional()
      .describe("The issuer that operators' tokens must name. Required by the operator API."),
    OPERATOR_JWT_AUDIENCE: textSetting("must be the token's aud")
      .optional()
      .describe("The audience that operators' tokens must name. Required by the operator API."),
    OPERATOR_ROLES_CLAIM: textSetting("must be the name of a claim")
      .default("roles")
      .describe("The claim that lists an operator's roles: `viewer`, `approver`, `admin`."),

    HANDLER_TIMEOUT: durationSetting()
      .default(18_000)
      .describe(
        "How long a service may take for a command. It must be less than `REQUEST_TIMEOUT`, to leave time for the answer's way back.",
      ),
    REQUEST_TIMEOUT: durationSetting()
      .default(20_000)
      .describe("How long the gateway waits for a service's answer."),
    // Longer than the load balancer's own, so that it is the load balancer that closes, never the gateway just as the
    // next request arrives.
    KEEP_ALIVE_TIMEOUT: durationSetting({ min: "1s", max: "1h" })
      .default(65_000)
      .describe(
        "How long a connection may stay idle between two requests. It must be longer than the load balancer's idle time-out (60 s in most).",
      ),
    TRUSTED_PROXIES: rangesSetting()
      .prefault("")
      .describe(
        "The address ranges of the proxies in front. `X-Forwarded-For` is read from these only; with none it is ignored.",
      ),

    // Limits. Each process counts for itself: with n replicas a client can have up to n times as much.

    REQUESTS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
      .default(512)
      .describe(
        "Requests under way in each listener that may wait for the bank or a merchant's server; one more is answered 503. One client address may use an eighth of the public pages' share.",
      ),
    LOCAL_REQUESTS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
      .default(512)
      .describe(
        "The same for requests that do not wait for them: reads, refund requests, new checkouts. They have places of their own, so that a bank which hangs leaves them free.",
      ),
    CONNECTIONS_MAX: integerSetting(1, 100_000)
      .default(8_192)
      .describe("Open connections of each listener; one more is closed as soon as it is opened."),
    RATE_LIMIT_PER_SECOND: integerSetting(1, 1_000_000)
      .default(100)
      .describe("Requests a second of one merchant, and the largest burst; more are answered 429."),
    FAILED_SIGN_INS_PER_MINUTE_PER_IP: integerSetting(1, 1_000_000)
      .default(60)
      .describe(
        "Failed sign-ins a minute from one client address (for IPv6, one /64). Then the address is answered 429 for keys that have not signed in from there before.",
      ),
    FAILED_SIGN_INS_PER_MINUTE_PER_KEY: integerSetting(1, 1_000_000)
      .default(60)
      .describe(
        "Failed sign-ins a minute with one API key from any address; more are answered 429. Correct credentials always get in.",
      ),
    PAGE_REQUESTS_PER_MINUTE_PER_IP: integerSetting(1, 1_000_000)
      .default(600)
      .describe(
        "Requests a minute of the public pages from one client address (for IPv6, one /64); more are answered 429.",
      ),
    CLIENT_HEADERS_TIMEOUT: durationSetting({ min: "1ms" })
      .default(10_000)
      .describe(
        "From the first byte of a request to the end of its headers; also how long a new connection may stay silent. At most `CLIENT_REQUEST_TIMEOUT`.",
      ),
    CLIENT_REQUEST_TIMEOUT: durationSetting()
      .default(14_000)
      .describe(
        "From the first byte of a request to its last; slower clients are answered 408. Checked once a second.",
      ),
    CLIENT_ANSWER_TIMEOUT: durationSetting({ min: "1ms" })
      .default(15_000)
      .describe("How long a client may take to read its answer."),
  })
  .check(({ value, issues }) => {
    const fault = (name: keyof typeof value, message: string) =>
      issues.push({ code: "custom", input: undefined, path: [name], message });

    const ports = FACES.map(({ port }) => port);
    const [first, ...more] = ports.filter((port) => value[port] !== undefined);
    if (first === undefined) fault("MERCHANT_API_PORT", `one of ${ports.join(", ")} must be set`);
    for (const port of more) {
      fault(
        port,
        `${first} is set, too, and a process has one face: run a process for each, with a bus user and a database role of its own`,
      );
    }
    for (const { port, needs } of FACES) {
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
    // Names such as `loopback` are refused: every range that is trusted can be read in the configuration.
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

/** The face of a gateway with these settings. */
export function faceOf(config: Config): GatewayFace {
  return FACES.find(({ port }) => config[port] !== undefined)!.face;
}

const FACES = [
  {
    face: "gateway-merchant",
    port: "MERCHANT_API_PORT",
    needs: ["CARD_SEALING_KEYS", "CREDENTIAL_PEPPERS", "PUBLIC_URL", "THREE_DS_STATE_KEYS"],
  },
  {
    face: "gateway-operator",
    port: "OPERATOR_API_PORT",
    needs: ["CREDENTIAL_PEPPERS", "OPERATOR_JWKS", "OPERATOR_JWT_ISSUER", "OPERATOR_JWT_AUDIENCE"],
  },
  {
    face: "gateway-public",
    port: "PUBLIC_PAGES_PORT",
    needs: ["CARD_SEALING_KEYS", "PUBLIC_URL", "THREE_DS_STATE_KEYS"],
  },
] as const;
