import {
  bankTimeSettings,
  checkBankWaits,
  durationSetting,
  integerSetting,
  keyRingSetting,
  listenerWire,
  portSetting,
  postgresWire,
  processSettings,
  refusePlaintext,
  textSetting,
  urlSetting,
  webWire,
} from "@holdfast/service-runtime";
import { z } from "zod";

/**
 * Environment variables of the console. It is not on the bus: it calls the gateway's API for operators, or that for
 * merchants' staff, as the signed-in person.
 */
export const configSchema = z
  .object({
    ...processSettings,
    DATABASE_CONNECTION_TIMEOUT: durationSetting({ min: "1ms" })
      .default(5_000)
      .describe(
        "How long a page waits for a connection to PostgreSQL, to look its session up; after that it is a 503 that says so. Longer than a payment's: a person's page is worth more than a quick refusal, and on a busy machine a new connection takes over a second.",
      ),
    CONSOLE_PORT: portSetting().describe("The port of the console's pages."),
    CONSOLE_URL: urlSetting("https:", "http:").describe(
      "Where people's browsers reach the console, without a path, such as `https://console.example.com`. The identity provider returns to `/login/return` of it.",
    ),
    TLS_CERT_FILE: textSetting("must be the path of a PEM file")
      .optional()
      .describe(
        "The listener's certificate, followed by those of its issuers, as PEM. With it the listener accepts TLS only. It and its key are read again within 5 s when they change.",
      ),
    TLS_KEY_FILE: textSetting("must be the path of a PEM file")
      .optional()
      .describe("PEM file of that certificate's private key."),
    OPERATOR_API_URL: urlSetting("https:", "http:").describe("The gateway's API for operators."),
    STAFF_API_URL: urlSetting("https:", "http:")
      .optional()
      .describe("The gateway's API for merchants' staff. Without it only operators can sign in."),
    OPERATOR_API_CA_FILE: textSetting("must be the path of a PEM file")
      .optional()
      .describe(
        "PEM file of the authority that signed the gateway's certificates, where it is not a public one. It is read at start.",
      ),
    ...bankTimeSettings,
    OPERATOR_API_TIMEOUT: durationSetting({ min: "1s", max: "2m" })
      .optional()
      .describe(
        "How long a page waits for one answer of it, or for a file to begin. Without it, 10 s more than `ACQUIRER_TIMEOUT` and at least 25 s.",
      ),
    OIDC_ISSUER: urlSetting("https:", "http:").describe(
      "The identity provider, as its discovery document names itself (OpenID Connect Discovery).",
    ),
    OIDC_CLIENT_ID: textSetting("must be the console's name at the provider").describe(
      "The console's client id at the provider.",
    ),
    OIDC_CLIENT_PASSWORD: textSetting("must be the client's secret")
      .optional()
      .describe("The client's secret. Without one the console is a public client, which PKCE protects."),
    OIDC_TIMEOUT: durationSetting({ min: "1s", max: "60s" })
      .default(10_000)
      .describe(
        "How long a sign-in waits for one answer of the provider. If it takes longer, the person gets a page that says so and leads back to the sign-in.",
      ),
    OIDC_SCOPE: textSetting("must be scopes separated by spaces")
      .default("openid")
      .describe("The scopes that are asked for, among them `openid`."),
    OIDC_RESOURCE: urlSetting("https:", "http:", "urn:")
      .optional()
      .describe(
        "The `resource` that access tokens are asked for (RFC 8707), where the provider needs it to issue tokens for the operators' API.",
      ),
    OIDC_ROLES_CLAIM: textSetting("must be the name of a claim")
      .default("roles")
      .describe(
        "The claim of the id token that lists a person's roles. It decides only what is offered; what is allowed the operators' API decides.",
      ),
    OIDC_MERCHANT_CLAIM: textSetting("must be the name of a claim")
      .default("merchant_id")
      .describe(
        "The claim of the id token that names the merchant whose staff a person is. Whoever has it is served by the staff API, as that person; everybody else is an operator.",
      ),
    CONSOLE_SESSION_KEYS: keyRingSetting().describe(
      "Seals people's tokens in the database, sign-ins under way, and forms that wait for a sign-in. Who is signed in under a key that is taken away has to sign in again.",
    ),
    SESSION_IDLE: durationSetting({ min: "1m", max: "15m" })
      .default(900_000)
      .describe(
        "How long a person who does nothing stays signed in (PCI DSS 8.2.8), and how old the proof may be with which somebody signs in who has no session.",
      ),
    SESSION_MAX: durationSetting({ min: "5m", max: "24h" })
      .default(28_800_000)
      .describe("How long a person stays signed in at most, from the moment they proved who they are."),
    DECISION_LOGIN_AGE_MAX: durationSetting({ min: "1m", max: "12h" })
      .default(900_000)
      .describe(
        "How old a sign-in may be for a decision about money; with an older one the person signs in again first.",
      ),
    CONNECTIONS_MAX: integerSetting(1, 100_000)
      .default(1_024)
      .describe(
        "Open connections of the listener. For one more, the one that has been idle longest is closed, of the address with most of them; unfinished TLS handshakes have a quarter of the places, by the same rule.",
      ),
  })
  .check(({ value, issues }) => {
    const fault = (name: keyof typeof value, message: string) =>
      issues.push({ code: "custom", input: undefined, path: [name], message });
    if (URL.canParse(value.CONSOLE_URL) && new URL(value.CONSOLE_URL).pathname !== "/")
      fault("CONSOLE_URL", "must have no path: the session's cookie is for the whole host");
    if (!value.OIDC_SCOPE.split(" ").includes("openid")) fault("OIDC_SCOPE", "must have openid");
    if (value.TLS_KEY_FILE !== undefined && value.TLS_CERT_FILE === undefined)
      fault("TLS_CERT_FILE", "TLS_KEY_FILE needs it");
    if (value.TLS_CERT_FILE !== undefined && value.TLS_KEY_FILE === undefined)
      fault("TLS_KEY_FILE", "TLS_CERT_FILE needs it");
    if (value.SESSION_IDLE > value.SESSION_MAX) fault("SESSION_IDLE", "must not be more than SESSION_MAX");
  })
  .check(
    checkBankWaits,
    refusePlaintext((settings) => [
      postgresWire("DATABASE_URL", settings.DATABASE_URL),
      webWire("OPERATOR_API_URL", "operator-api", settings.OPERATOR_API_URL),
      webWire("STAFF_API_URL", "staff-api", settings.STAFF_API_URL),
      webWire("OIDC_ISSUER", "identity-provider", settings.OIDC_ISSUER),
      webWire("CONSOLE_URL", "console", settings.CONSOLE_URL),
      listenerWire("CONSOLE_PORT", "console", {
        port: settings.CONSOLE_PORT,
        host: settings.LISTEN_HOST,
        certFile: settings.TLS_CERT_FILE,
      }),
    ]),
  );

export type Config = z.infer<typeof configSchema>;
