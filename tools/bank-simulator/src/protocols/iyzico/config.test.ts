import { expect, test } from "vitest";

import { ConfigError } from "../../core/index.ts";
import { readConfig } from "./config.ts";

const environment = (own: Record<string, string> = {}) => ({
  IYZICO_SIMULATOR_LEDGER_FILE: "ledger.ndjson",
  ...own,
});
const merchant = {
  apiKey: "shop-key",
  secretKey: "shop-secret",
  merchantId: "7",
  webhookUrl: "http://127.0.0.1:9/",
};

test("the environment has a default for everything but the ledger's file", () => {
  expect(readConfig(environment())).toMatchObject({
    latenessMs: 17_000,
    merchants: [{ apiKey: "sandbox-apikey", merchantId: "1000001" }],
    webhookDelayMs: 10_000,
    webhookRetryMs: 600_000,
    modes: { failureHttpStatus: 200, decimals: "zeros", limitPerMinute: null },
  });
});

test("the environment sets the merchants, their webhooks and the modes", () => {
  const own = {
    IYZICO_SIMULATOR_MERCHANTS: JSON.stringify([merchant]),
    IYZICO_SIMULATOR_WEBHOOK_DELAY: "1s",
    IYZICO_SIMULATOR_WEBHOOK_RETRY: "2s",
    IYZICO_SIMULATOR_MODES: '{"failureHttpStatus": 400}',
  };
  expect(readConfig(environment(own))).toMatchObject({
    merchants: [merchant],
    webhookDelayMs: 1_000,
    webhookRetryMs: 2_000,
    modes: { failureHttpStatus: 400, types: "usual" },
  });
});

test.each([
  ["IYZICO_SIMULATOR_MERCHANTS", "no list with a secret"],
  ["IYZICO_SIMULATOR_MERCHANTS", "[]"],
  ["IYZICO_SIMULATOR_MERCHANTS", JSON.stringify([merchant, { ...merchant, merchantId: "8" }])],
  ["IYZICO_SIMULATOR_MERCHANTS", JSON.stringify([merchant, { ...merchant, apiKey: "other-key" }])],
  ["IYZICO_SIMULATOR_MERCHANTS", JSON.stringify([{ ...merchant, apiKey: "a:secret&c" }])],
  ["IYZICO_SIMULATOR_MODES", "{"],
  ["IYZICO_SIMULATOR_MODES", '{"answers": "left"}'],
])("%s may not be %s, and a fault quotes no secret", (name, value) => {
  const read = () => readConfig(environment({ [name]: value }));
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(expect.not.objectContaining({ message: expect.stringContaining("secret") }));
});
