import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { amountText, fromMinorUnits, toMinorUnits } from "./amount.ts";

test.each([0.1 + 0.2, 1.1 * 3, 4.35 * 100, 1e21, 1e-7, 0.00001])(
  "the inexact number %s is refused",
  (amount) => {
    expect(() => amountText(amount)).toThrow(expect.objectContaining({ code: "inexact_amount" }));
  },
);

test.each([
  0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  "",
  "0.00",
  "1e3",
  "1,50",
  " 1",
  "01",
  "1.",
  "1000000000",
  null,
])("%s is no amount", (amount) => {
  expect(() => amountText(amount as string)).toThrow(expect.objectContaining({ code: "invalid_argument" }));
});

test("a text goes out as it is, with its zeros, and a number as it prints", () => {
  expect([amountText("12.50"), amountText(12.5), amountText(100), amountText("999999999.99")]).toEqual([
    "12.50",
    "12.5",
    "100",
    "999999999.99",
  ]);
});

describe("minor units", () => {
  test("go there and back without loss, as text and by way of an answer's number", () => {
    const decimals = fc.integer({ min: 0, max: 4 });
    const minor = fc.bigInt({ min: 1n, max: 999_999_999n });
    fc.assert(
      fc.property(minor, decimals, (units, exponent) => {
        const text = fromMinorUnits(units, exponent);
        expect(toMinorUnits(text, exponent)).toBe(units);
        expect(toMinorUnits(JSON.parse(text) as number, exponent)).toBe(units);
      }),
    );
  });

  test("of an amount with more decimals than the currency has do not exist", () => {
    expect(toMinorUnits("12.500", 2)).toBe(1250n);
    expect(() => toMinorUnits("12.505", 2)).toThrow(expect.objectContaining({ code: "inexact_amount" }));
    expect(toMinorUnits(0, 2)).toBe(0n);
  });
});
