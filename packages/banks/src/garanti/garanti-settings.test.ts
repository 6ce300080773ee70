import { expect, test } from "vitest";
import type { z } from "zod";

import { garantiSecrets, garantiSettings } from "./garanti-settings.ts";
import { SECRETS, settingsOf } from "./test/garanti-bench.ts";

const { mode: _mode, ...settings } = settingsOf("https://sanalpos.bank.example");
const faultsOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`);

test("addresses, numbers and an address of our own are all that an account has to say", () => {
  const read = { mode: "PROD", contentType: "application/xml", encoding: "utf-8", verifyAnswers: true };
  const common = { gatePost: "server", acceptMdStatus: ["1"], confirmAmounts: true };
  expect(garantiSettings.parse(settings)).toEqual({ ...settings, ...read, ...common });
  expect(faultsOf(garantiSettings, {})).toHaveLength(5);
});

test.each([
  [{ apiUrl: "bank" }, "apiUrl must be an https:// address"],
  [{ gateUrl: "https://me@bank.example/" }, "gateUrl must have neither a user nor a fragment"],
  [{ mode: "P" }, "mode must be PROD or TEST"],
  [{ merchantId: "12a" }, "merchantId must be 1 to 9 digits"],
  [{ terminalId: 30691298 }, "terminalId must be a text"],
  [{ terminalId: "1".repeat(10) }, "terminalId must be 1 to 9 digits"],
  [{ subMerchantId: "a-b" }, "subMerchantId must be 1 to 20 letters and digits"],
  [{ fallbackIp: "2001:db8::1" }, "fallbackIp must be an IPv4 address"],
  [{ contentType: "text/xml" }, "contentType must be application/xml or application/x-www-form-urlencoded"],
  [{ encoding: "utf-16" }, "encoding must be utf-8 or iso-8859-9"],
  [{ verifyAnswers: "no" }, "verifyAnswers must be true or false"],
  [{ clientId: "1" }, " must have no field clientId"],
])("a fault is named with its field: %o", (fault, named) => {
  expect(faultsOf(garantiSettings, { ...settings, ...fault })).toEqual([named]);
});

test.each([
  [{ provUser: "" }, "provUser must not be empty"],
  [{ refundUser: "x".repeat(33) }, "refundUser must have at most 32 characters"],
  [{ refundPassword: "şifre" }, "refundPassword must be ASCII only: other characters are hashed differently"],
])("a secret's fault is named, and its value is not: %o", (fault, named) => {
  expect(faultsOf(garantiSecrets, { ...SECRETS, ...fault })).toEqual([named]);
});
