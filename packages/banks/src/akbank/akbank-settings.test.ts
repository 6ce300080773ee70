import { expect, test } from "vitest";
import type { z } from "zod";

import { akbankSecrets, akbankSettings } from "./akbank-settings.ts";
import { settingsOf } from "./test/akbank-bench.ts";

const settings = settingsOf("https://api.bank.example");
const faultsOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`);

test("addresses and the two ids are all that an account has to say", () => {
  const common = { gatePost: "server", acceptMdStatus: ["1"], confirmAmounts: true };
  expect(akbankSettings.parse(settings)).toEqual({ ...settings, ...common, acceptUnsignedAmount: false });
  expect(faultsOf(akbankSettings, {})).toHaveLength(4);
});

test.each([
  [{ apiUrl: "bank" }, "apiUrl must be an https:// address"],
  [{ gateUrl: "https://me@bank.example/" }, "gateUrl must have neither a user nor a fragment"],
  [{ merchantSafeId: "12a" }, "merchantSafeId must be 32 hexadecimal digits"],
  [{ terminalSafeId: 30691298 }, "terminalSafeId must be a text"],
  [{ subMerchantId: "a-b" }, "subMerchantId must be 1 to 32 letters and digits"],
  [{ acceptUnsignedAmount: "no" }, "acceptUnsignedAmount must be true or false"],
  [{ clientId: "1" }, " must have no field clientId"],
])("a fault is named with its field: %o", (fault, named) => {
  expect(faultsOf(akbankSettings, { ...settings, ...fault })).toEqual([named]);
});

test.each([
  [{ secretKey: "" }, "secretKey must not be empty"],
  [{ secretKey: "şifre" }, "secretKey must be ASCII only: other characters are hashed differently"],
])("a secret's fault is named, and its value is not: %o", (fault, named) => {
  expect(faultsOf(akbankSecrets, fault)).toEqual([named]);
});
