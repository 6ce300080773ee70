import { randomBytes } from "node:crypto";
import { parseConfig } from "@holdfast/service-runtime";
import { expect, test } from "vitest";
import { configSchema } from "./config.ts";

const ring = () => `k1:${randomBytes(32).toString("base64")}`;
const start = (env: Record<string, string>) => () =>
  parseConfig(configSchema, {
    HEALTH_PORT: "0",
    DATABASE_URL: "postgres://u:p@localhost/x",
    NATS_URL: "nats://localhost:4222",
    OPERATOR_JWKS: "/etc/jwks.json",
    OPERATOR_JWT_ISSUER: "https://login.example.com",
    OPERATOR_JWT_AUDIENCE: "holdfast",
    CARD_SEALING_KEYS: ring(),
    PAN_FINGERPRINT_KEYS: ring(),
    FILE_KEYS: ring(),
    ...env,
  });

test("payments does not start without the hosts of its banks", () => {
  expect(start({})).toThrow(/^ {2}ACQUIRER_HOSTS is missing: must be hosts/m);
  expect(start({ ACQUIRER_HOSTS: "sanalpos.bank.example" })).not.toThrow();
});

test.each([
  ["ACQUIRER_URL", "make an account by POST /operator/acquirer-accounts"],
  ["ACQUIRER_CONNECTIONS_MAX", "each account has its `connectionsMax`"],
  ["ACQUIRER_REFUND_CONNECTIONS_MAX", "each account has its `connectionsMax`"],
  ["ACQUIRER_REPETITION", "each account of the simulator has its `repetition`"],
])("payments does not start with the gone %s, and says what takes its place", (name, instead) => {
  const hosts = { ACQUIRER_HOSTS: "sanalpos.bank.example" };
  expect(start({ ...hosts, [name]: "1" })).toThrow(`${name} is gone: ${instead}`);
  expect(start({ ...hosts, [name]: "" })).not.toThrow();
});
