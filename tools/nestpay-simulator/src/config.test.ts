import { ConfigError } from "@holdfast/bank-simulator/core";
import { expect, test } from "vitest";

import { readConfig } from "./config.ts";
import { defaultModes } from "./modes.ts";

const merchant = { clientId: "990000001", name: "apiuser", password: "s3cret-pass", storeKey: "TEST1234" };
const needed = {
  NESTPAY_SIMULATOR_LEDGER_FILE: "/tmp/ledger.ndjson",
  NESTPAY_SIMULATOR_MERCHANTS: JSON.stringify([merchant]),
};

test("a ledger and one merchant are enough", () => {
  expect(readConfig(needed)).toEqual({
    host: "127.0.0.1",
    port: 0,
    ledgerFile: "/tmp/ledger.ndjson",
    connectionsMax: 10_000,
    hangMs: 120_000,
    latenessMs: 17_000,
    reversalMs: 5_000,
    publicUrl: undefined,
    merchants: [expect.objectContaining(merchant)],
    modes: defaultModes,
  });
});

test("everything else can be set", () => {
  const config = readConfig({
    ...needed,
    NESTPAY_SIMULATOR_PORT: "8090",
    NESTPAY_SIMULATOR_HANG: "1s",
    NESTPAY_SIMULATOR_LATENESS: "2s",
    NESTPAY_SIMULATOR_REVERSAL: "3s",
    NESTPAY_SIMULATOR_PUBLIC_URL: "https://bank.example.test/",
    NESTPAY_SIMULATOR_MODES: '{"language": "en", "halfSecure": true}',
    NESTPAY_SIMULATOR_MERCHANTS: JSON.stringify([{ ...merchant, options: { installmentsMax: 6 } }]),
  });
  expect(config).toMatchObject({
    port: 8_090,
    hangMs: 1_000,
    latenessMs: 2_000,
    reversalMs: 3_000,
    publicUrl: "https://bank.example.test",
    modes: { ...defaultModes, language: "en", halfSecure: true },
    merchants: [{ options: { installmentsMax: 6, terminalId: "00990001" } }],
  });
});

test.each([
  ["no merchants", "[]"],
  ["no list", "{}"],
  ["no JSON", '{"password": "s3cret-pass"'],
  [
    "twenty-one merchants",
    JSON.stringify(Array.from({ length: 21 }, (_, n) => ({ ...merchant, clientId: `${n}` }))),
  ],
  ["one client id twice", JSON.stringify([merchant, merchant])],
  ["an unknown option", JSON.stringify([{ ...merchant, options: { other: true } }])],
  ["a client id of 16 digits", JSON.stringify([{ ...merchant, clientId: "1".repeat(16) }])],
])("%s: refused in a text that names the variable and no secret", (_, text) => {
  const read = () => readConfig({ ...needed, NESTPAY_SIMULATOR_MERCHANTS: text });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow("NESTPAY_SIMULATOR_MERCHANTS");
  expect(read).not.toThrow(/s3cret-pass|TEST1234/);
});

test("an unknown mode is refused", () => {
  expect(() => readConfig({ ...needed, NESTPAY_SIMULATOR_MODES: '{"other": true}' })).toThrow(
    "NESTPAY_SIMULATOR_MODES",
  );
});
