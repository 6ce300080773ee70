import * as fc from "fast-check";
import { expect, test } from "vitest";
import { amountText } from "./format.ts";
import { decimalField, readAmount, readRate } from "./read-number.ts";
import { TEXTS } from "./texts.ts";

const readerIn = (locale: string) => {
  const language = locale.startsWith("tr") ? ("tr" as const) : ("en" as const);
  return { language, locale, texts: TEXTS[language] };
};
const ENGLISH = readerIn("en-GB");
const TURKISH = readerIn("tr-TR");

const LOCALES = [
  "tr",
  "tr-TR",
  "tr-CY",
  "en",
  "en-US",
  "en-GB",
  "en-AT",
  "en-CH",
  "en-DE",
  "en-IN",
  "en-ZA",
  "en-SE",
];
const DECIMALS = { TRY: 2, EUR: 2, JPY: 0, KWD: 3 } as const;

test("each amount that the pages write is read back, with or without its groups", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LOCALES),
      fc.constantFrom(...(Object.keys(DECIMALS) as (keyof typeof DECIMALS)[])),
      fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }),
      (locale, currency, minor) => {
        const reader = readerIn(locale);
        const amount = Number(minor) / 10 ** DECIMALS[currency];
        const decimal = amount.toFixed(DECIMALS[currency]);
        const written = amountText(reader, amount, currency).replaceAll(/[^\d.,\s'’]/g, "");
        expect(readAmount(reader, written, currency)).toEqual({ value: decimal });
        expect(readAmount(reader, decimalField(reader, decimal), currency)).toEqual({ value: decimal });
      },
    ),
  );
});

test.each([
  ["40,00", "40.00"],
  ["40.00", "40.00"],
  ["5,25", "5.25"],
  ["2,5", "2.5"],
  [" 12 ", "12"],
  ["0,125", "0.125"],
  ["1.234,56", "1234.56"],
  ["1,234.56", "1234.56"],
  ["1 234,56", "1234.56"],
  ["1’234.5", "1234.5"],
  ["1.234.567", "1234567"],
  ["12,34,567.8", "1234567.8"],
  ["1234,567", "1234.567"],
  ["-12,50", "-12.50"],
])("%s is %s for every reader", (text, value) => {
  for (const reader of [ENGLISH, TURKISH]) expect(readAmount(reader, text, "TRY")).toEqual({ value });
});

test("a single mark before three digits could be thousands, and is refused with both ways to write it", () => {
  for (const text of ["1,234", "1.234", "999.000"])
    for (const reader of [ENGLISH, TURKISH]) {
      const [whole, rest] = text.split(/[.,]/) as [string, string];
      expect(readAmount(reader, text, "TRY")).toEqual({
        fault: reader.texts.ambiguousNumber(whole + rest, whole, rest),
      });
    }
  expect(readAmount(ENGLISH, "1,234", "TRY").fault).toBe(
    "This could be 1234 or 1 and a fraction. Write 1234 or 1.23.",
  );
  expect(readAmount(TURKISH, "1.234", "TRY").fault).toContain("1234 ya da 1,23");
});

test("a currency without decimals, or with three, is read as the reader's language writes it", () => {
  expect(readAmount(TURKISH, "1.234", "JPY")).toEqual({ value: "1234" });
  expect(readAmount(ENGLISH, "1.234", "JPY").fault).toBeDefined();
  expect(readAmount(TURKISH, "1,234", "KWD")).toEqual({ value: "1.234" });
  expect(readAmount(TURKISH, "1.234", "KWD").fault).toBeDefined();
});

test("a rate has no thousands", () => {
  expect(readRate(TURKISH, "2,125")).toEqual({ value: "2.125" });
  expect(readRate(ENGLISH, "2.125")).toEqual({ value: "2.125" });
});

test.each([
  "",
  "x",
  "1e3",
  "1,",
  ",5",
  "1.2.3",
  "1,23,4",
  "1.23,4,5",
  "1..2",
  "--1",
  "1.2345.678",
  "1.234 567",
  "9".repeat(13),
])("%o is no number", (text) => {
  for (const reader of [ENGLISH, TURKISH])
    expect(readAmount(reader, text, "TRY")).toEqual({ fault: reader.texts.notNumber });
});

test("a long text is refused at once", () => {
  expect(readAmount(ENGLISH, "1,".repeat(50_000), "TRY").fault).toBeDefined();
});
