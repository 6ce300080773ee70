import { expect, test } from "vitest";
import { chooseLocale, writeAmount } from "./choose-language.ts";

test.each([
  [undefined, undefined, { language: "en", locale: "en" }],
  [undefined, "tr-TR,tr;q=0.9,en;q=0.8", { language: "tr", locale: "tr-TR" }],
  [undefined, "de-AT, en-AT;q=0.7, tr;q=0.5", { language: "en", locale: "en-AT" }],
  [undefined, "en;q=0.1, tr;q=0.9", { language: "tr", locale: "tr" }],
  [undefined, "tr;q=0, fr", { language: "en", locale: "en" }],
  ["tr", "en-GB", { language: "tr", locale: "tr" }],
  ["fr", "tr", { language: "tr", locale: "tr" }],
  [undefined, "<script>, ;;;, *", { language: "en", locale: "en" }],
])("switched to %s, asking for %s", (chosen, header, locale) => {
  expect(chooseLocale(chosen, header)).toEqual(locale);
});

test.each([
  ["tr-TR", "1249.90", "TRY", 2, "₺1.249,90"],
  ["en-GB", "1249.90", "GBP", 2, "£1,249.90"],
  ["en", "1250", "JPY", 0, "¥1,250"],
  ["en", "12.500", "KWD", 3, "KWD 12.500"],
  // ISO 4217 gives the Iraqi dinar three decimals, Intl none.
  ["en", "12.500", "IQD", 3, "IQD 12.500"],
  ["en", "999999999.99", "USD", 2, "$999,999,999.99"],
  ["en-zz-zzzzzzzzz", "1.00", "USD", 2, "$1.00"],
] as const)("in %s %s %s with %d decimals is %s", (locale, amount, currency, decimals, text) => {
  expect(writeAmount(locale, amount, currency, decimals).replaceAll("\u00a0", " ")).toBe(text);
});
