import { CONNECTORS } from "@holdfast/banks";
import { expect, test } from "vitest";
import { otherTerminal } from "./check-account.ts";

const nestpay = {
  settings: { apiUrl: "https://b.example/api", gateUrl: "https://b.example/gate", clientId: "1", mode: "P" },
  secrets: { apiUser: "u", apiPassword: "p", storeKey: "k" },
};
const defaults = { ip: "203.0.113.1" };
const iyzico = {
  settings: { url: "https://api.iyzipay.com", defaults },
  secrets: { apiKey: "key", secretKey: "secret" },
};

test.each([
  ["nestpay", nestpay, { clientId: "2" }, {}, ["settings.clientId"]],
  [
    "nestpay",
    nestpay,
    { mode: "T", apiUrl: "https://c.example/api" },
    {},
    ["settings.apiUrl", "settings.mode"],
  ],
  ["nestpay", nestpay, { gateUrl: "https://c.example/gate", language: "en" }, { apiPassword: "other" }, []],
  ["iyzico", iyzico, { url: "https://sandbox-api.iyzipay.com" }, {}, ["settings.url"]],
  ["iyzico", iyzico, { url: "https://api.iyzipay.com/", locale: "en" }, { secretKey: "other" }, []],
  ["iyzico", iyzico, {}, { apiKey: "other" }, ["secrets.apiKey"]],
])(
  "%s: another terminal is told from other settings and credentials",
  (protocol, before, settings, secrets, expected) => {
    const after = {
      settings: { ...before.settings, ...settings },
      secrets: { ...before.secrets, ...secrets },
    };
    expect(otherTerminal(CONNECTORS.get(protocol)!, before, after)).toEqual(expected);
  },
);

test("a default that is left out is the one that was given", () => {
  const { mode: _mode, ...settings } = nestpay.settings;
  expect(otherTerminal(CONNECTORS.get("nestpay")!, nestpay, { ...nestpay, settings })).toEqual([]);
});
