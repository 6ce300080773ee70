import { ConfigError, parseConfig } from "@holdfast/service-runtime";
import { expect, test } from "vitest";
import { configSchema } from "./config.ts";
import { approvalsRequired } from "./operator/approvals-required.ts";

const env = {
  HEALTH_PORT: "0",
  DATABASE_URL: "postgres://127.0.0.1/holdfast",
  NATS_URL: "nats://127.0.0.1:4222",
  OPERATOR_JWKS: "/run/jwks.json",
  OPERATOR_JWT_ISSUER: "https://login.example.test",
  OPERATOR_JWT_AUDIENCE: "holdfast",
};
const parse = (above?: string) =>
  parseConfig(configSchema, { ...env, ...(above !== undefined && { REFUND_TWO_APPROVERS_ABOVE: above }) });

test("one approver is enough unless amounts are configured, and then up to them, in their currency", () => {
  expect(parse().REFUND_TWO_APPROVERS_ABOVE).toBeUndefined();
  const twoAbove = parse("TRY:1000.00, EUR:200,JPY:0").REFUND_TWO_APPROVERS_ABOVE ?? new Map();
  const required = (sumMinor: bigint, currency: string) =>
    approvalsRequired({ sumMinor, currency }, twoAbove);
  expect([required(100_000n, "TRY"), required(100_001n, "TRY")]).toEqual([1, 2]);
  expect([required(20_000n, "EUR"), required(20_001n, "EUR"), required(1n, "JPY")]).toEqual([1, 2, 2]);
  expect(required(99_999_999n, "USD")).toBe(1);
});

test.each(["TRY", "TRY:", "TRY:1.001", "XXX:1", "try:1", "TRY:1,TRY:2", "TRY:-1", "1000"])(
  "an amount that cannot be understood keeps the service from starting: %s",
  (above) => {
    expect(() => parse(above)).toThrow(ConfigError);
  },
);
