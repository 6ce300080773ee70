import { describe, expect, test } from "vitest";
import { z } from "zod";

import { nestpaySecrets, nestpaySettings } from "./nestpay-settings.ts";

const settings = {
  apiUrl: "https://sanalpos.bank.example/fim/api",
  gateUrl: "https://sanalpos.bank.example/fim/est3Dgate",
  clientId: "990000001",
};
const secrets = { apiUser: "apiuser", apiPassword: "TEST1111", storeKey: "KEY2222" };
const faultsOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`);

test("addresses and the client id are all that an account has to say", () => {
  expect(nestpaySettings.parse(settings)).toEqual({
    ...settings,
    mode: "P",
    language: "tr",
    gatePost: "server",
    acceptMdStatus: ["1"],
    unsignedFields: ["countdown", "nationalidno"],
    creditBeforeDayEnd: false,
    confirmAmounts: true,
  });
});

describe("a fault is named with its field", () => {
  test.each([
    [{ apiUrl: "bank" }, ["apiUrl must be an https:// address"]],
    [{ gateUrl: "ftp://bank.example/" }, ["gateUrl must be an https:// address"]],
    [{ apiUrl: "https://me:pass@bank.example/" }, ["apiUrl must have neither a user nor a fragment"]],
    [{ clientId: "12a" }, ["clientId must be 1 to 15 digits"]],
    [{ clientId: "1".repeat(16) }, ["clientId must be 1 to 15 digits"]],
    [{ mode: "X" }, ["mode must be P or T"]],
    [{ language: "de" }, ["language must be tr or en"]],
    [{ gatePost: "browser" }, ["gatePost must be server: no other way is supported"]],
    [{ acceptMdStatus: [] }, ["acceptMdStatus must name at least one status"]],
    [{ acceptMdStatus: ["0"] }, ["acceptMdStatus.0 must be 1, 2, 3 or 4"]],
    [{ unsignedFields: ["MdStatus"] }, ["unsignedFields.0 must not be a field that Holdfast reads"]],
    [{ unsignedFields: ["a b"] }, ["unsignedFields.0 must be the name of a field"]],
    [{ unsignedFields: Array(21).fill("x") }, ["unsignedFields must name at most 20 fields"]],
    [{ creditBeforeDayEnd: "yes" }, ["creditBeforeDayEnd must be true or false"]],
    [{ clientID: "1" }, [" must have no field clientID"]],
  ])("%o", (fault, faults) => {
    expect(faultsOf(nestpaySettings, { ...settings, ...fault })).toEqual(faults);
  });

  test.each([
    [{ apiUser: "" }, ["apiUser must not be empty"]],
    [{ apiPassword: "x".repeat(256) }, ["apiPassword must have at most 255 characters"]],
    [{ apiPassword: "TEST1111 " }, ["apiPassword must have no space at its beginning or end"]],
    [{ storeKey: "a\u0000b" }, ["storeKey must have no control characters"]],
    [{ storeKey: "a\ud800" }, ["storeKey must be well-formed Unicode"]],
    [{ storeKey: 1 }, ["storeKey must be a text"]],
    [
      { storeKey: secrets.apiPassword },
      ["storeKey must not be the API user's password: it is a key of its own, set in the bank's panel"],
    ],
  ])("secrets %o", (fault, faults) => {
    expect(faultsOf(nestpaySecrets, { ...secrets, ...fault })).toEqual(faults);
  });
});

test.each([
  "oid",
  "amount",
  "currency",
  "mdStatus",
  "md",
  "cavv",
  "xid",
  "eci",
  "clientid",
  "rnd",
  "HASH",
  "errmsg",
])("the field %s has to be signed", (name) => {
  expect(faultsOf(nestpaySettings, { ...settings, unsignedFields: [name] })).toHaveLength(1);
});

test("no fault repeats a secret", () => {
  const given = {
    apiUser: " s3cret-user ",
    apiPassword: "s3cret\u0000",
    storeKey: "s3cret".repeat(50),
    more: "s3cret",
  };
  expect(JSON.stringify(nestpaySecrets.safeParse(given).error?.issues)).not.toContain("s3cret");
});
