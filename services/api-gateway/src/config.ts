import { auditSettings, auditWire } from "@holdfast/audit";
import {
  checkStaffTokens,
  operatorTokenSettings,
  operatorTokenWire,
  staffTokenSettings,
  staffTokenWire,
} from "@holdfast/operator-token";
import {
  checkBankWaits,
  commonSettings,
  commonWires,
  durationSetting,
  integerSetting,
  isOwnHost,
  keyRingSetting,
  listenerWire,
  refusePlaintext,
  ringSettings,
  shareSetting,
  textSetting,
  urlSetting,
  webWire,
} from "@holdfast/service-runtime";
import { rangesSetting, type TlsFiles } from "@holdfast/http-server";
import { z } from "zod";
import { waitSettings } from "./bus/wait-settings.ts";
import { LISTENERS } from "./listeners.ts";
import { listenerSettings } from "./listener-settings.ts";
import { operatorSettings } from "./operator-settings.ts";

/** The time limits for clients. */
const CLIENT_TIMEOUTS = {
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
  UPLOAD_TIMEOUT: durationSetting()
    .default(600_000)
    .describe(
      "From the first byte to the last of a bank's file that an operator uploads, in place of `CLIENT_REQUEST_TIMEOUT`.",
    ),
  CLIENT_ANSWER_TIMEOUT: durationSetting({ min: "1ms" })
    .default(15_000)
    .describe("How long a client may take to read its answer."),
};

/**
 * Environment variables of the gateway. One image runs as four deployments, each with the one listener whose port
 * is set. Settings of other listeners may be absent, so that the operators' deployment has no card keys.
 */
export const configSchema = z
  .object({
    ...commonSettings,
    ...auditSettings,
    ...listenerSettings,
    PUBLIC_URL: urlSetting("https:", "http:")
      .optional()
      .describe(
        "Where buyers' browsers reach the public pages. Required by the merchant API and the staff API, which answer with such addresses, and by the public pages.",
      ),

    COMPANY_NAME: textSetting("must be a name")
      .optional()
      .describe("The company that runs this installation, as the issuer of printed statements."),

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
        "Keys the hashes of API secrets; a hash moves to the first key when its secret signs in. Required by the merchant API, the operator API and the staff API.",
      ),
    ...ringSettings,
    CREDENTIAL_CACHE_TTL: durationSetting({ min: "1ms", max: "10s" })
      .default(5_000)
      .describe("How long a revoked API key still works when the bus is down."),

    ...operatorTokenSettings,
    OPERATOR_JWKS: neededByOperatorApi(operatorTokenSettings.OPERATOR_JWKS),
    OPERATOR_JWT_ISSUER: neededByOperatorApi(operatorTokenSettings.OPERATOR_JWT_ISSUER),
    OPERATOR_JWT_AUDIENCE: neededByOperatorApi(operatorTokenSettings.OPERATOR_JWT_AUDIENCE),

    ...staffTokenSettings,

    ...waitSettings,
    ...operatorSettings,
    // Longer than the load balancer's own time-out, so that the load balancer closes, and never the gateway
    // just as the next request arrives.
    KEEP_ALIVE_TIMEOUT: durationSetting({ min: "1s", max: "1h" })
      .default(65_000)
      .describe(
        "How long a connection may stay idle between two requests. It must be longer than the load balancer's idle time-out (60 s in most).",
      ),
    TRUSTED_PROXIES: rangesSetting()
      .optional()
      .describe(
        "The address ranges of the proxies in front. `X-Forwarded-For` is read from these only; with `none` it is ignored. Required by public pages that listen on more than loopback: behind a proxy that is not declared all buyers would share one address, and its limits.",
      ),

    // Limits. Each process counts for itself: with n replicas a client can have up to n times as much.

    REQUESTS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
      .default(2_048)
      .describe(
        "Requests under way in each listener whose bodies have arrived, and that may wait for the bank or a merchant's server; one more is answered 503. One client address may use an eighth of those of the public pages.",
      ),
    LOCAL_REQUESTS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
      .default(2_048)
      .describe(
        "The same for requests that do not wait for them: reads, refund requests, new checkouts. They have places of their own, so that a bank which hangs leaves them free.",
      ),
    REQUESTS_IN_FLIGHT_SHARE: shareSetting()
      .default(0.25)
      .describe(
        "The part of `REQUESTS_IN_FLIGHT_MAX`, and of `LOCAL_REQUESTS_IN_FLIGHT_MAX`, that one merchant may use, at least one request; what it sends beyond that is answered 503, and nobody else's requests are. An installation for one merchant may set 1.",
      ),
    EXPORTS_IN_FLIGHT_MAX: integerSetting(1, 1_000)
      .default(16)
      .describe(
        "Lists that are answered as CSV or NDJSON at the same time in each listener, of which one merchant or operator may have the part `REQUESTS_IN_FLIGHT_SHARE`; one more is answered 503.",
      ),
    BODIES_IN_FLIGHT_MAX: integerSetting(1, 100_000)
      .default(2_048)
      .describe(
        "Request bodies that arrive at the same time in each listener. One more takes the room of the one that began first among those of the client with the most, which is answered 408.",
      ),
    BODIES_IN_FLIGHT_BYTES_MAX: integerSetting(32_768, 999_999_999)
      .default(33_554_432)
      .describe("The same in bytes that have arrived; the client that has sent the most gives way."),
    CONNECTIONS_MAX: integerSetting(1, 100_000)
      .default(8_192)
      .describe(
        "Open connections of each listener. For one more, the one that has been idle longest is closed, of the address with most of them; unfinished TLS handshakes have a quarter of the places, by the same rule.",
      ),
    RATE_LIMIT_PER_SECOND: integerSetting(1, 1_000_000)
      .default(100)
      .describe("Requests a second of one merchant, and the largest burst; more are answered 429."),
    FAILED_SIGN_INS_PER_MINUTE_PER_IP: integerSetting(1, 1_000_000)
      .default(60)
      .describe(
        "Failed sign-ins a minute from one client address (for IPv6, one /64), of merchants and of operators. Beyond that, operators who have not signed in from there before get 429. An API key that has not may be tried three times a minute, and all such keys together as often as sign-ins may fail.",
      ),
    FAILED_SIGN_INS_PER_MINUTE_PER_KEY: integerSetting(1, 1_000_000)
      .default(60)
      .describe(
        "Failed sign-ins a minute with one API key from any address; more are answered 429. Correct credentials always get in.",
      ),
    REFUSED_ATTEMPTS_PER_MINUTE_PER_OPERATOR: integerSetting(1, 1_000_000)
      .default(60)
      .describe(
        "Requests a minute of one operator that are refused for want of authority, each of which is a line of an audit log. Then further ones, and all changes by this person, are answered 429.",
      ),
    PAGE_REQUESTS_PER_MINUTE_PER_IP: integerSetting(1, 1_000_000)
      .default(600)
      .describe(
        "Requests a minute of the public pages from one client address (for IPv6, one /64), as long as they are about nothing that is known to exist; more are answered 429. Each API counts requests for its guides and its OpenAPI document by it, apart from all others.",
      ),
    DOCS: z
      .enum(["on", "off"], { error: "must be on or off" })
      .default("on")
      .transform((value) => value === "on")
      .describe(
        "Whether each API also serves its OpenAPI document at `/openapi.json`, and the merchant API its guides at `/docs`, without a sign-in.",
      ),
    PAGE_REQUESTS_PER_MINUTE_PER_CHECKOUT: integerSetting(1, 1_000_000)
      .default(240)
      .describe(
        "Requests a minute of the pages of one checkout, or of one payment with 3-D Secure, from any address; more are answered 429. Once it is known to exist, its requests count here and no longer by address.",
      ),
    BANK_NOTIFICATIONS_PER_MINUTE_PER_IP: integerSetting(1, 1_000_000)
      .default(6_000)
      .describe(
        "Notifications a minute of banks, or of others in their name, from one client address (for IPv6, one /64); more are answered 429, and banks send them again. They count apart from the pages.",
      ),
    ...CLIENT_TIMEOUTS,
  })
  .check(({ value, issues }) => {
    const fault = (name: keyof typeof value, message: string) =>
      issues.push({ code: "custom", input: undefined, path: [name], message });

    const ports = LISTENERS.map(({ port }) => port);
    const [first, ...more] = ports.filter((port) => value[port] !== undefined);
    if (first === undefined) fault("MERCHANT_API_PORT", `one of ${ports.join(", ")} must be set`);
    for (const port of more) {
      fault(
        port,
        `${first} is set, too, and a process has one listener: run a process for each, with a bus user and a database role of its own`,
      );
    }
    for (const { port, needs } of LISTENERS) {
      for (const name of needs) {
        if (value[port] !== undefined && value[name] === undefined) fault(name, `${port} needs it`);
      }
    }
    if (
      value.PUBLIC_PAGES_PORT !== undefined &&
      value.TRUSTED_PROXIES === undefined &&
      // The listener accepts connections only from this machine, so no foreign proxy is in front of it.
      !isOwnHost(value.LISTEN_HOST)
    )
      fault(
        "TRUSTED_PROXIES",
        "PUBLIC_PAGES_PORT needs it: the ranges of the proxies in front, such as 10.244.3.0/24, or none where there is no proxy",
      );
    if (value.TLS_KEY_FILE !== undefined && value.TLS_CERT_FILE === undefined)
      fault("TLS_CERT_FILE", "TLS_KEY_FILE needs it");
    if (value.TLS_CERT_FILE !== undefined && value.TLS_KEY_FILE === undefined)
      fault("TLS_KEY_FILE", "TLS_CERT_FILE needs it");
    if (value.TLS_CLIENT_CA_FILE !== undefined && value.TLS_CERT_FILE === undefined)
      fault("TLS_CERT_FILE", "TLS_CLIENT_CA_FILE needs it");
    if (value.CLIENT_HEADERS_TIMEOUT > value.CLIENT_REQUEST_TIMEOUT)
      fault("CLIENT_HEADERS_TIMEOUT", "must not be more than CLIENT_REQUEST_TIMEOUT");
  })
  .check(
    checkBankWaits,
    checkStaffTokens,
    refusePlaintext((settings) => [
      ...commonWires(settings),
      webWire("PUBLIC_URL", "public-url", settings.PUBLIC_URL),
      webWire("MERCHANT_API_URL", "merchant-api", settings.MERCHANT_API_URL),
      operatorTokenWire(settings),
      staffTokenWire(settings),
      auditWire(settings),
      ...LISTENERS.map(({ port, name }) =>
        listenerWire(port, name, {
          port: settings[port],
          host: settings.LISTEN_HOST,
          certFile: settings.TLS_CERT_FILE,
        }),
      ),
    ]),
  );

export type Config = z.infer<typeof configSchema>;

/** The listeners' TLS files; undefined if they use plain HTTP. */
export function tlsFilesOf({
  TLS_CERT_FILE: certFile,
  TLS_KEY_FILE: keyFile,
  TLS_CLIENT_CA_FILE: clientCaFile,
}: Config): TlsFiles | undefined {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile, clientCaFile };
}

function neededByOperatorApi(setting: z.ZodString) {
  return setting.optional().describe(`${setting.description} Required by the operator API.`);
}

/** Narrows a setting that the schema has already checked. */
export function needed<Setting>(setting: Setting | undefined): Setting {
  if (setting === undefined) throw new TypeError("a listener is on without a setting it needs");
  return setting;
}
