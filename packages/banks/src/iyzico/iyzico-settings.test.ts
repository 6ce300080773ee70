import { describe, expect, test } from "vitest";
import type { z } from "zod";

import { iyzicoSecrets, iyzicoSettings } from "./iyzico-settings.ts";
import { settingsOf } from "./test/iyzico-requests.ts";

const good = settingsOf("https://sandbox-api.iyzipay.com");

function faultsOf(schema: z.ZodType, given: unknown): string[] {
  const parsed = schema.safeParse(given);
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => [path.join("."), message].join(" ").trim());
}

describe("settings", () => {
  test("are taken whole, with iyzico's address as an origin", () => {
    expect(iyzicoSettings.parse({ ...good, url: "https://API.iyzipay.com/" })).toEqual({
      ...good,
      url: "https://api.iyzipay.com",
    });
    const { locale: _, ...withoutLocale } = good;
    expect(iyzicoSettings.parse(withoutLocale)).toMatchObject({ locale: "tr" });
  });

  test.each([
    "ftp://api.iyzipay.com",
    "api.iyzipay.com",
    "https://api.iyzipay.com/v2",
    "https://api.iyzipay.com/?a=1",
    "https://user:password@api.iyzipay.com",
    "https://api.iyzipay.com/#a",
  ])("do not take %s for an address", (url) => {
    expect(faultsOf(iyzicoSettings, { ...good, url })).toEqual([
      "url must be an http:// or https:// address without a path, query or user name",
    ]);
  });

  test("name every fault at once", () => {
    const { defaults } = good;
    const bad = {
      ...good,
      locale: "de",
      urll: "x",
      defaults: {
        ...defaults,
        email: "shop",
        identityNumber: "1",
        ip: "localhost",
        address: { line1: " ", city: "a".repeat(81), country: "Tur\u0000key", street: "x" },
        item: { name: 7, category: "", kind: "service" },
      },
    };
    expect(faultsOf(iyzicoSettings, bad).sort()).toEqual(
      [
        "must have no field urll",
        "locale must be tr or en",
        "defaults.email must be an e-mail address",
        "defaults.identityNumber must be 5 to 50 letters and digits",
        "defaults.ip must be an IPv4 or IPv6 address",
        "defaults.address must have no field street",
        "defaults.address.line1 must not be empty",
        "defaults.address.city must have at most 80 characters",
        "defaults.address.country must have no control characters",
        "defaults.item.name must be a text",
        "defaults.item.category must not be empty",
        "defaults.item.kind must be physical or virtual",
      ].sort(),
    );
    const noObject = ["defaults must be an object"];
    expect(faultsOf(iyzicoSettings, { ...good, defaults: undefined })).toEqual(noObject);
    expect(faultsOf(iyzicoSettings, null)).toEqual(["must be an object"]);
  });
});

describe("secrets", () => {
  test("are taken as they are", () => {
    const keys = { apiKey: "sandbox-abc", secretKey: "sandbox-def" };
    expect(iyzicoSecrets.parse(keys)).toEqual(keys);
  });

  test("that are wrong are named, and never shown", () => {
    const bad = { apiKey: "with space", secretKey: "", storeKey: "hidden-value" };
    const faults = faultsOf(iyzicoSecrets, bad);
    expect(faults.sort()).toEqual([
      "apiKey must be 1 to 256 characters of ASCII",
      "must have no field storeKey",
      "secretKey must not be empty",
    ]);
    expect(JSON.stringify(iyzicoSecrets.safeParse(bad).error)).not.toMatch(/hidden-value|with space/);
  });
});
