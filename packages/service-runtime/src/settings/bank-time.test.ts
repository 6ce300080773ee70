import { expect, test } from "vitest";
import { z } from "zod";
import { bankTimeSettings, bankWaits, checkBankWaits } from "./bank-time.ts";
import { ConfigError, durationSetting, parseConfig } from "./config.ts";

const wait = () => durationSetting().optional();
const schema = z
  .object({
    ...bankTimeSettings,
    HANDLER_TIMEOUT: wait(),
    REQUEST_TIMEOUT: wait(),
    OPERATOR_API_TIMEOUT: wait(),
    LEASE_DURATION: wait(),
  })
  .check(checkBankWaits);
const waits = (env: Record<string, string>) => bankWaits(parseConfig(schema, env));

test.each([
  ["1s", [18, 20, 25, 30]],
  ["15s", [18, 20, 25, 45]],
  ["25s", [28, 30, 35, 75]],
  ["90s", [93, 95, 100, 270]],
])("a bank that may take %s is waited for by commands, requests, pages and leases", (bank, seconds) => {
  const { commandMs, requestMs, pageMs, leaseMs } = waits({ ACQUIRER_TIMEOUT: bank });
  expect([commandMs, requestMs, pageMs, leaseMs].map((ms) => ms / 1_000)).toEqual(seconds);
});

test("a lease of three calls to the bank is taken, since recovery makes two of them within it", () => {
  expect(waits({ ACQUIRER_TIMEOUT: "25s", LEASE_DURATION: "75s" }).leaseMs).toBe(75_000);
});

test("a wait that is set is the one in use, and what is around it follows", () => {
  expect(waits({ HANDLER_TIMEOUT: "40s", LEASE_DURATION: "2m" })).toEqual({
    bankMs: 15_000,
    commandMs: 40_000,
    requestMs: 42_000,
    pageMs: 47_000,
    leaseMs: 120_000,
  });
});

test.each([
  ["HANDLER_TIMEOUT", { ACQUIRER_TIMEOUT: "25s", HANDLER_TIMEOUT: "25s" }],
  ["REQUEST_TIMEOUT", { ACQUIRER_TIMEOUT: "25s", REQUEST_TIMEOUT: "28s" }],
  ["OPERATOR_API_TIMEOUT", { ACQUIRER_TIMEOUT: "25s", OPERATOR_API_TIMEOUT: "30s" }],
  ["LEASE_DURATION", { ACQUIRER_TIMEOUT: "25s", LEASE_DURATION: "74s" }],
])("%s that does not fit the bank's time is refused by name", (name, env) => {
  expect(() => waits(env)).toThrow(ConfigError);
  expect(() => waits(env)).toThrow(`  ${name}: must `);
});
