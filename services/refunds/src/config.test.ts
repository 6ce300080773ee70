import { ConfigError, parseConfig } from "@holdfast/service-runtime";
import { expect, test } from "vitest";
import { configSchema } from "./config.ts";

const env = {
  HEALTH_PORT: "0",
  DATABASE_URL: "postgres://127.0.0.1/holdfast",
  NATS_URL: "nats://127.0.0.1:4222",
  OPERATOR_JWKS: "/run/jwks.json",
  OPERATOR_JWT_ISSUER: "https://login.example.test",
  OPERATOR_JWT_AUDIENCE: "holdfast",
};
const parse = (dailyMax?: string) =>
  parseConfig(configSchema, {
    ...env,
    ...(dailyMax !== undefined && { REFUND_APPROVER_DAILY_MAX: dailyMax }),
  });

test("what one person may approve has no limit unless amounts are configured", () => {
  expect(parse().REFUND_APPROVER_DAILY_MAX).toBeUndefined();
  expect(parse("TRY:1000.00, EUR:200,JPY:0").REFUND_APPROVER_DAILY_MAX).toEqual(
    new Map([
      ["TRY", 100_000n],
      ["EUR", 20_000n],
      ["JPY", 0n],
    ]),
  );
});

test.each(["TRY", "TRY:", "TRY:1.001", "XXX:1", "try:1", "TRY:1,TRY:2", "TRY:-1", "1000"])(
  "an amount that cannot be understood keeps the service from starting: %s",
  (above) => {
    expect(() => parse(above)).toThrow(ConfigError);
  },
);

test("refunds does not start with a setting that is gone, and says what takes its place", () => {
  const start = () => parseConfig(configSchema, { ...env, ACQUIRER_CONNECTIONS_MAX: "4" });
  expect(start).toThrow("ACQUIRER_CONNECTIONS_MAX is gone: `REFUND_CALLS_MAX`");
});
