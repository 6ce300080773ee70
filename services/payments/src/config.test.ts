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

test("the account of ACQUIRER_URL is at one of these hosts, and needs the simulator to be allowed", () => {
  const bank = { ACQUIRER_URL: "https://simulator.example", ACQUIRER_HOSTS: "simulator.example" };
  expect(start(bank)).toThrow(
    "ACQUIRER_URL: is an account of the simulator, so it needs ALLOW_SIMULATOR=live",
  );
  expect(start({ ...bank, ALLOW_SIMULATOR: "live" })).not.toThrow();
  expect(start({ ...bank, ALLOW_SIMULATOR: "live", ACQUIRER_HOSTS: "bank.example" })).toThrow(
    "ACQUIRER_URL: must be at a host of ACQUIRER_HOSTS",
  );
});
