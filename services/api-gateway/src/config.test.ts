import { randomBytes } from "node:crypto";
import { ConfigError, parseConfig } from "@holdfast/service-runtime";
import { describe, expect, test } from "vitest";
import { configSchema } from "./config.ts";

const key = `k1:${randomBytes(32).toString("base64")}`;
const common = {
  HEALTH_PORT: "0",
  DATABASE_URL: "postgres://localhost/x",
  NATS_URL: "nats://localhost:4222",
};
const PUBLIC_URL = "https://pay.example.test";
const merchant = {
  MERCHANT_API_PORT: "0",
  CARD_SEALING_KEYS: key,
  CREDENTIAL_PEPPERS: key,
  PUBLIC_URL,
  THREE_DS_STATE_KEYS: key,
};
const pages = { PUBLIC_PAGES_PORT: "0", CARD_SEALING_KEYS: key, PUBLIC_URL, THREE_DS_STATE_KEYS: key };
const operator = {
  OPERATOR_API_PORT: "0",
  CREDENTIAL_PEPPERS: key,
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

test("two faces in one process are refused, with a sentence that says what to do", () => {
  const both = () => parseConfig(configSchema, { ...common, ...merchant, ...operator });
  expect(both).toThrow(
    "OPERATOR_API_PORT: MERCHANT_API_PORT is set, too, and a process has one face: run a process for each, with a bus user and a database role of its own",
  );
  expect(faultsOf({ ...common, ...merchant, ...pages })).toEqual(["PUBLIC_PAGES_PORT"]);
  expect(faultsOf({ ...common, ...merchant, ...operator, ...pages })).toEqual([
    "OPERATOR_API_PORT",
    "PUBLIC_PAGES_PORT",
  ]);
});

test("the defaults are the documented ones", () => {
  expect(parseConfig(configSchema, { ...common, ...merchant })).toMatchObject({
    HANDLER_TIMEOUT: 18_000,
    REQUEST_TIMEOUT: 20_000,
    CREDENTIAL_CACHE_TTL: 5_000,
    REQUESTS_IN_FLIGHT_MAX: 512,
    LOCAL_REQUESTS_IN_FLIGHT_MAX: 512,
    CONNECTIONS_MAX: 8_192,
    RATE_LIMIT_PER_SECOND: 100,
    FAILED_SIGN_INS_PER_MINUTE_PER_IP: 60,
    FAILED_SIGN_INS_PER_MINUTE_PER_KEY: 60,
    PAGE_REQUESTS_PER_MINUTE_PER_IP: 600,
    CLIENT_HEADERS_TIMEOUT: 10_000,
    CLIENT_REQUEST_TIMEOUT: 14_000,
    CLIENT_ANSWER_TIMEOUT: 15_000,
    OPERATOR_ROLES_CLAIM: "roles",
    KEEP_ALIVE_TIMEOUT: 65_000,
    TRUSTED_PROXIES: [],
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
      "public pages that would believe anybody",
      { ...pages, THREE_DS_STATE_KEYS: "" },
      ["THREE_DS_STATE_KEYS"],
    ],
    [
      "an operator API that could believe anybody",
      { OPERATOR_API_PORT: "0", CREDENTIAL_PEPPERS: key },
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
    ["with no time for the way back", { ...merchant, HANDLER_TIMEOUT: "20s" }, ["HANDLER_TIMEOUT"]],
  ])("%s", (_case, settings: Record<string, string>, faults) => {
    expect(faultsOf({ ...common, ...settings })).toEqual(faults);
  });
});
