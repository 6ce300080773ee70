import { randomBytes } from "node:crypto";
import { ConfigError, parseConfig } from "@holdfast/service-runtime";
import { describe, expect, test } from "vitest";
import { configSchema } from "./config.ts";

const ring = () => `k1:${randomBytes(32).toString("base64")}`;
const common = {
  LISTEN_HOST: "127.0.0.1",
  HEALTH_PORT: "0",
  DATABASE_URL: "postgres://localhost/x",
  NATS_URL: "nats://localhost:4222",
};
const onAnyAddress = {
  LISTEN_HOST: "0.0.0.0",
  TLS_CERT_FILE: "/run/tls.crt",
  TLS_KEY_FILE: "/run/tls.key",
};
const PUBLIC_URL = "https://pay.example.test";
const merchant = {
  MERCHANT_API_PORT: "0",
  CARD_SEALING_KEYS: ring(),
  CREDENTIAL_PEPPERS: ring(),
  PUBLIC_URL,
  THREE_DS_STATE_KEYS: ring(),
};
const pages = {
  PUBLIC_PAGES_PORT: "0",
  CARD_SEALING_KEYS: ring(),
  PUBLIC_URL,
  THREE_DS_STATE_KEYS: ring(),
  TRUSTED_PROXIES: "none",
};
const operator = {
  OPERATOR_API_PORT: "0",
  CREDENTIAL_PEPPERS: ring(),
  OPERATOR_JWKS: "/run/jwks.json",
  OPERATOR_JWT_ISSUER: "https://login.example.test",
  OPERATOR_JWT_AUDIENCE: "holdfast",
};

function faultsOf(env: Record<string, string>): string[] {
  try {
    parseConfig(configSchema, env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults.map((fault) => fault.split(/[: ]/)[0]!);
  }
}

test.each([
  ["the merchant API", merchant],
  ["the operator API", operator],
  ["the public pages", pages],
])("each listener runs by itself, with what it needs and no more: %s", (_case, settings) => {
  expect(faultsOf({ ...common, ...settings })).toEqual([]);
});

test("two listeners in one process are refused, with a sentence that says what to do", () => {
  const both = () => parseConfig(configSchema, { ...common, ...merchant, ...operator });
  expect(both).toThrow(
    "OPERATOR_API_PORT: MERCHANT_API_PORT is set, too, and a process has one listener: run a process for each, with a bus user and a database role of its own",
  );
  expect(faultsOf({ ...common, ...merchant, ...pages })).toEqual(["PUBLIC_PAGES_PORT"]);
  expect(faultsOf({ ...common, ...merchant, ...operator, ...pages })).toEqual([
    "OPERATOR_API_PORT",
    "PUBLIC_PAGES_PORT",
  ]);
});

test("the defaults are the documented ones", () => {
  expect(parseConfig(configSchema, { ...common, ...merchant })).toMatchObject({
    ACQUIRER_TIMEOUT: 15_000,
    CREDENTIAL_CACHE_TTL: 5_000,
    REQUESTS_IN_FLIGHT_MAX: 2_048,
    LOCAL_REQUESTS_IN_FLIGHT_MAX: 2_048,
    REQUESTS_IN_FLIGHT_SHARE: 0.25,
    BODIES_IN_FLIGHT_MAX: 2_048,
    BODIES_IN_FLIGHT_BYTES_MAX: 33_554_432,
    CONNECTIONS_MAX: 8_192,
    CREDENTIAL_AGE_MAX: 31_536_000_000,
    RATE_LIMIT_PER_SECOND: 100,
    FAILED_SIGN_INS_PER_MINUTE_PER_IP: 60,
    FAILED_SIGN_INS_PER_MINUTE_PER_KEY: 60,
    REFUSED_ATTEMPTS_PER_MINUTE_PER_OPERATOR: 60,
    PAGE_REQUESTS_PER_MINUTE_PER_IP: 600,
    PAGE_REQUESTS_PER_MINUTE_PER_CHECKOUT: 240,
    BANK_NOTIFICATIONS_PER_MINUTE_PER_IP: 6_000,
    DOCS: true,
    CLIENT_HEADERS_TIMEOUT: 10_000,
    CLIENT_REQUEST_TIMEOUT: 14_000,
    CLIENT_ANSWER_TIMEOUT: 15_000,
    OPERATOR_ROLES_CLAIM: "roles",
    OPERATOR_TOKEN_AGE_MAX: 3_600_000,
    OPERATOR_DECISION_SIGN_IN_AGE_MAX: 900_000,
    OPERATOR_DECISION_ISSUED_AGE_MAX: 900_000,
    OPERATOR_REQUIRED_ACR: [],
    OPERATOR_REQUIRED_AMR: [],
    KEEP_ALIVE_TIMEOUT: 65_000,
  });
});

test("public pages need no word about proxies where only this machine can reach them", () => {
  for (const LISTEN_HOST of ["127.0.0.1", "::1", "localhost"]) {
    expect(faultsOf({ ...common, ...pages, TRUSTED_PROXIES: "", LISTEN_HOST })).toEqual([]);
  }
});

test("none says that there is no proxy", () => {
  expect(parseConfig(configSchema, { ...common, ...pages }).TRUSTED_PROXIES).toEqual([]);
});

describe("what leaves this machine is encrypted:", () => {
  const LISTENERS = [
    ["MERCHANT_API_PORT", "merchant-api", merchant],
    ["OPERATOR_API_PORT", "operator-api", operator],
    ["PUBLIC_PAGES_PORT", "public-pages", pages],
  ] as const;
  const elsewhere = {
    LISTEN_HOST: "0.0.0.0",
    DATABASE_URL: "postgres://gateway_app:p@db/x",
    NATS_URL: "nats://nats:4222",
    PUBLIC_URL: "http://pay.example.test",
    OPERATOR_JWKS: "http://login.example.test/jwks.json",
    AUDIT_ANCHOR_URL: "http://sink.example.test/heads",
  };
  const faults = [
    "DATABASE_URL: must end in ?sslmode=verify-full, with &sslrootcert=FILE for an authority of your own, unless ALLOW_PLAINTEXT names postgres",
    "NATS_URL: must be tls://, or NATS_CA_FILE be set, unless ALLOW_PLAINTEXT names nats",
    "PUBLIC_URL: must be https://, unless ALLOW_PLAINTEXT names public-url",
    "OPERATOR_JWKS: must be https://, unless ALLOW_PLAINTEXT names operator-jwks",
    "AUDIT_ANCHOR_URL: must be https://, unless ALLOW_PLAINTEXT names audit-anchor",
  ];
  const faultOf = (port: string, name: string) =>
    `${port}: needs TLS_CERT_FILE and TLS_KEY_FILE, or a LISTEN_HOST of this machine alone, unless ALLOW_PLAINTEXT names ${name}`;

  test.each(LISTENERS)(
    "each setting that is not is named, with how to mend it: %s",
    (port, name, settings) => {
      const start = (changes: Record<string, string>) => () =>
        parseConfig(configSchema, { ...common, ...settings, ...changes });
      expect(start({})).not.toThrow();
      expect(start(elsewhere)).toThrow(new ConfigError([...faults, faultOf(port, name)]));
    },
  );

  test.each(LISTENERS)("mended, or allowed by name, it starts: %s", (port, name, settings) => {
    const start = (changes: Record<string, string>) => () =>
      parseConfig(configSchema, { ...common, ...settings, ...changes });
    const mended = {
      ...onAnyAddress,
      DATABASE_URL: "postgres://gateway_app:p@db/x?sslmode=verify-full",
      NATS_URL: "tls://nats:4222",
      OPERATOR_JWKS: "https://login.example.test/jwks.json",
      AUDIT_ANCHOR_URL: "https://sink.example.test/heads",
    };
    expect(start(mended)).not.toThrow();
    const ALLOW_PLAINTEXT =
      "postgres,nats,public-url,operator-jwks,audit-anchor,merchant-api,operator-api,public-pages";
    expect(start({ ...elsewhere, ALLOW_PLAINTEXT })).not.toThrow();
    const others = ALLOW_PLAINTEXT.split(",").filter((each) => each !== name);
    expect(start({ ...elsewhere, ALLOW_PLAINTEXT: others.join(",") })).toThrow(
      new ConfigError([faultOf(port, name)]),
    );
  });

  test("merchants are not told to send their secrets unencrypted", () => {
    const MERCHANT_API_URL = "http://api.example.test";
    expect(() => parseConfig(configSchema, { ...common, ...merchant, MERCHANT_API_URL })).toThrow(
      new ConfigError(["MERCHANT_API_URL: must be https://, unless ALLOW_PLAINTEXT names merchant-api"]),
    );
  });
});

test("trusted proxies are ranges, however they are spaced", () => {
  const { TRUSTED_PROXIES } = parseConfig(configSchema, {
    ...common,
    ...merchant,
    TRUSTED_PROXIES: " 10.0.0.0/8, fd00::/8,192.0.2.7/32,",
  });
  expect(TRUSTED_PROXIES).toEqual(["10.0.0.0/8", "fd00::/8", "192.0.2.7/32"]);
});

describe("refuses to start", () => {
  test.each([
    ["without a listener", {}, ["MERCHANT_API_PORT"]],
    [
      "a merchant API without its keys",
      { MERCHANT_API_PORT: "0" },
      ["CARD_SEALING_KEYS", "CREDENTIAL_PEPPERS", "PUBLIC_URL", "THREE_DS_STATE_KEYS"],
    ],
    ["public pages that nobody could find", { ...pages, PUBLIC_URL: "" }, ["PUBLIC_URL"]],
    [
      "public pages that may stand behind a proxy nobody has declared",
      { ...pages, ...onAnyAddress, TRUSTED_PROXIES: "" },
      ["TRUSTED_PROXIES"],
    ],
    [
      "public pages that would believe anybody",
      { ...pages, THREE_DS_STATE_KEYS: "" },
      ["THREE_DS_STATE_KEYS"],
    ],
    [
      "an operator API that could believe anybody",
      { OPERATOR_API_PORT: "0", CREDENTIAL_PEPPERS: ring() },
      ["OPERATOR_JWKS", "OPERATOR_JWT_ISSUER", "OPERATOR_JWT_AUDIENCE"],
    ],
    [
      "with a revocation slower than promised",
      { ...merchant, CREDENTIAL_CACHE_TTL: "11s" },
      ["CREDENTIAL_CACHE_TTL"],
    ],
    [
      "with credentials cached for ever",
      { ...merchant, CREDENTIAL_CACHE_TTL: "0s" },
      ["CREDENTIAL_CACHE_TTL"],
    ],
    [
      "with clients that may take longer for the headers than for all of a request",
      { ...merchant, CLIENT_HEADERS_TIMEOUT: "15s" },
      ["CLIENT_HEADERS_TIMEOUT"],
    ],
    ["without a rate", { ...merchant, RATE_LIMIT_PER_SECOND: "0" }, ["RATE_LIMIT_PER_SECOND"]],
    ...[
      "10.0.0.0",
      "10.0.0.0/33",
      "10.0.0.0/0",
      "10.0.0.0/255.0.0.0",
      "loopback",
      "proxy/8",
      "fd00::/129",
    ].map((range): [string, Record<string, string>, string[]] => [
      `when told to trust ${range}`,
      { ...merchant, TRUSTED_PROXIES: `192.0.2.0/24,${range}` },
      ["TRUSTED_PROXIES"],
    ]),
    [
      "when it would close connections under a load balancer",
      { ...merchant, KEEP_ALIVE_TIMEOUT: "5ms" },
      ["KEEP_ALIVE_TIMEOUT"],
    ],
    ["with a certificate and no key", { ...merchant, TLS_CERT_FILE: "/run/tls.crt" }, ["TLS_KEY_FILE"]],
    ["with a key and no certificate", { ...merchant, TLS_KEY_FILE: "/run/tls.key" }, ["TLS_CERT_FILE"]],
    [
      "when clients are to show certificates to a listener without one",
      { ...merchant, TLS_CLIENT_CA_FILE: "/run/ca.crt" },
      ["TLS_CERT_FILE"],
    ],
    [
      "with operators who stay signed in for days",
      { ...operator, OPERATOR_TOKEN_AGE_MAX: "25h" },
      ["OPERATOR_TOKEN_AGE_MAX"],
    ],
    [
      "with no time for the way back",
      { ...merchant, HANDLER_TIMEOUT: "20s", REQUEST_TIMEOUT: "20s" },
      ["REQUEST_TIMEOUT"],
    ],
    [
      "with no time for the bank",
      { ...merchant, ACQUIRER_TIMEOUT: "25s", HANDLER_TIMEOUT: "20s" },
      ["HANDLER_TIMEOUT"],
    ],
  ])("%s", (_case, settings: Record<string, string>, faults) => {
    expect(faultsOf({ ...common, ...settings })).toEqual(faults);
  });
});
