import { testIdOf } from "@holdfast/contracts";
import { expect, test } from "vitest";
import type { Reader } from "../ui/page-context.ts";
import { TEXTS } from "../ui/texts.ts";
import { nameOfId, namedValue } from "./named-things.ts";

const READER: Reader = { language: "en", locale: "en-GB", texts: TEXTS.en };
const MERCHANT_ID = "019ab80c-2000-7d3e-b5f1-41c1b7a9d0aa";
const THINGS = {
  merchants: [{ merchantId: MERCHANT_ID, name: "Ada's Lamps" }],
  accounts: [{ accountId: "first-bank", name: "First Bank" }],
};
const shown = (id: string) => nameOfId(READER, THINGS, id)?.text;

test("a merchant and an account are named, with the way to their pages", () => {
  expect(shown(MERCHANT_ID)).toBe(`<a href="/merchants/${MERCHANT_ID}">Ada&#39;s Lamps</a>`);
  expect(shown(testIdOf(MERCHANT_ID))).toMatch(
    new RegExp(`href="/merchants/${MERCHANT_ID}">.*badge.*${TEXTS.en.test}`),
  );
  expect(shown("first-bank")).toBe('<a href="/accounts/first-bank">First Bank</a>');
  expect(shown("log-level")).toBeUndefined();
});

test("a detail has the name beside the id, a key leads to its merchant's keys, and anything else is text", () => {
  const valueOf = namedValue(READER, THINGS, { subject: MERCHANT_ID });
  const textOf = (name: string, text: string) => {
    const value = valueOf(name, text);
    return typeof value === "string" ? value : value.text;
  };
  expect(textOf("merchantId", MERCHANT_ID)).toContain("Ada");
  expect(textOf("merchantId", MERCHANT_ID)).toContain(`>${MERCHANT_ID}</span>`);
  expect(textOf("apiKey", "key_1")).toBe(`<a href="/merchants/${MERCHANT_ID}#keys">key_1</a>`);
  expect(textOf("reason", "seen")).toBe("seen");
});
