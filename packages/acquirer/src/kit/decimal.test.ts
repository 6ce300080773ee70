import * as fc from "fast-check";
import { expect, test } from "vitest";

import {
  amountText,
  minorOf,
  parseDecimal,
  readMinorUnits,
  roundedMinorOf,
  shortestText,
} from "./decimal.ts";

const minor = fc.bigInt({ min: 0n, max: 10n ** 18n - 1n });

test("every amount is the same after a way to the bank and back, with any number of zeros", () => {
  fc.assert(
    fc.property(minor, fc.nat({ max: 12 }), (amountMinor, zeros) => {
      const text = amountText(amountMinor);
      expect(text).toMatch(/^\d+\.\d\d$/);
      expect(minorOf(parseDecimal(text + "0".repeat(zeros))!)).toBe(amountMinor);
      expect(readMinorUnits(String(amountMinor))).toBe(amountMinor);
    }),
  );
});

test("an amount's signed form has no trailing zeros and is the same number", () => {
  fc.assert(
    fc.property(minor, (amountMinor) => {
      const form = shortestText(parseDecimal(amountText(amountMinor))!);
      expect(form).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
      expect(minorOf(parseDecimal(form)!)).toBe(amountMinor);
    }),
  );
});

test.each([
  ["10.50", "10.5", 1_050n],
  ["50.00", "50", 5_000n],
  ["100", "100", 10_000n],
  ["1249.90000000", "1249.9", 124_990n],
  ["0E-8", "0", 0n],
  ["1.2E+3", "1200", 120_000n],
  ["0.30", "0.3", 30n],
  ["-0.5", "-0.5", undefined],
  ["1.005", "1.005", undefined],
])("%s is signed as %s", (text, form, amountMinor) => {
  const decimal = parseDecimal(text)!;
  expect(shortestText(decimal)).toBe(form);
  expect(minorOf(decimal)).toBe(amountMinor);
});

test.each([
  "",
  " 1",
  "1.",
  ".5",
  "1,50",
  "1e999",
  "0x10",
  "NaN",
  "--1",
  "9".repeat(17),
  "1٫5",
  "100.250,00",
  "١.٠٠",
])("%o is no amount", (text) => {
  expect(parseDecimal(text)).toBeUndefined();
});

test.each(["", "1.00", "-1", "+1", "1 ", "9".repeat(19)])("%o is no amount in minor units", (text) => {
  expect(readMinorUnits(text)).toBeUndefined();
});

test.each([
  ["0.03245000", 3n],
  ["0.29500000", 30n],
  ["0.005", 1n],
  ["0.004999", 0n],
  ["7", 700n],
])("a fee of %s is %s minor units", (text, fee) => {
  expect(roundedMinorOf(parseDecimal(text)!)).toBe(fee);
});
