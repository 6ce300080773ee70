import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import {
  amountToJson,
  CURRENCIES,
  currencyExponent,
  formatAmount,
  parseAmount,
  parseJsonAmount,
} from "./money.ts";

describe("parseAmount", () => {
  test.each([
    ["12.50", 2, 1250n],
    ["12.5", 2, 1250n],
    ["0.01", 2, 1n],
    ["100", 0, 100n],
    ["1.234", 3, 1234n],
    ["999999999.99", 2, 99_999_999_999n],
    ["999999999", 0, 999_999_999n],
    ["999999999.990", 3, 999_999_999_990n],
    ["4.35", 2, 435n],
  ])("reads %s with %i decimals", (source, exponent, minor) => {
    expect(parseAmount(source, exponent)).toBe(minor);
  });

  test.each([
    ["1e400", 2, "invalid_amount"],
    ["1e2", 2, "invalid_amount"],
    ["1E2", 2, "invalid_amount"],
    ["-0", 2, "invalid_amount"],
    ["-1", 2, "invalid_amount"],
    ["01.00", 2, "invalid_amount"],
    ["1.", 2, "invalid_amount"],
    ["9".repeat(30), 2, "invalid_amount"],
    ["0", 2, "must_be_positive"],
    ["0.00", 2, "must_be_positive"],
    ["100.5", 0, "too_many_decimals"],
    ["1.234", 2, "too_many_decimals"],
    ["12.340", 2, "too_many_decimals"],
    ["9007199254740993", 2, "too_large"],
    ["1000000000", 2, "too_large"],
    ["999999999.991", 3, "too_large"],
  ])("refuses %s with %i decimals: %s", (source, exponent, fault) => {
    expect(parseAmount(source, exponent)).toBe(fault);
  });
});

describe("parseJsonAmount", () => {
  test.each([
    ["12.50", 2, 1250n],
    ["12.5000", 2, 1250n],
    ["12.00", 0, 12n],
    ["1e3", 2, 100_000n],
    ["1.25E+1", 2, 1250n],
    ["1250e-2", 2, 1250n],
    ["1000e-3", 0, 1n],
    ["0.000001e6", 0, 1n],
    ["99999999999e-2", 2, 99_999_999_999n],
    [`1.${"0".repeat(24)}`, 2, 100n],
  ])("reads %s with %i decimals", (source, exponent, minor) => {
    expect(parseJsonAmount(source, exponent)).toBe(minor);
  });

  test.each([
    ["1e400", 2, "invalid_amount"],
    ["1e100", 2, "invalid_amount"],
    ["-1", 2, "invalid_amount"],
    ["-0", 2, "invalid_amount"],
    ["01", 2, "invalid_amount"],
    ["1.", 2, "invalid_amount"],
    ["1e", 2, "invalid_amount"],
    ["9".repeat(30), 2, "invalid_amount"],
    ["0", 2, "must_be_positive"],
    ["0.000", 2, "must_be_positive"],
    ["0e99", 2, "must_be_positive"],
    ["12.345", 2, "too_many_decimals"],
    ["1e-99", 2, "too_many_decimals"],
    ["1.5e0", 0, "too_many_decimals"],
    ["1e9", 2, "too_large"],
    ["1e99", 2, "too_large"],
    ["9007199254740993", 2, "too_large"],
  ])("refuses %s with %i decimals: %s", (source, exponent, fault) => {
    expect(parseJsonAmount(source, exponent)).toBe(fault);
  });
});

test("every amount there is survives text, minor units and the JSON number", () => {
  const amounts = fc.integer({ min: 0, max: 4 }).chain((exponent) =>
    fc.record({
      exponent: fc.constant(exponent),
      minor: fc.bigInt({ min: 1n, max: (99_999_999_999n * 10n ** BigInt(exponent)) / 100n }),
    }),
  );
  fc.assert(
    fc.property(amounts, ({ exponent, minor }) => {
      expect(parseAmount(formatAmount(minor, exponent), exponent)).toBe(minor);
      expect(parseAmount(JSON.stringify(amountToJson(minor, exponent)), exponent)).toBe(minor);
      expect(parseJsonAmount(Number(formatAmount(minor, exponent)).toExponential(), exponent)).toBe(minor);
      expect(parseJsonAmount(`${minor}e-${exponent}`, exponent)).toBe(minor);
    }),
  );
});

test("exponents are ISO 4217's, and what is not money is unknown", () => {
  expect(["TRY", "JPY", "KWD", "CLF", "ISK", "HUF"].map(currencyExponent)).toEqual([2, 0, 3, 4, 0, 2]);
  expect(["XXX", "XTS", "XAU", "XAD", "try", "ZZZ", "", "TRYX"].map(currencyExponent)).toEqual(
    Array(8).fill(undefined),
  );
});

test("a currency of 2025 is known, and so are those that were withdrawn while payments in them exist", () => {
  expect(["XCG", "ZWG", "SLE", "ANG", "BGN", "CUC"].map(currencyExponent)).toEqual([2, 2, 2, 2, 2, 2]);
  expect(["HRK", "ZWL"].map(currencyExponent)).toEqual([undefined, undefined]);
});

test("the list names each currency once", () => {
  expect(CURRENCIES).toHaveLength(new Set(CURRENCIES).size);
  expect(CURRENCIES).toHaveLength(167);
  expect(CURRENCIES.join(" ")).toMatch(/^[A-Z]{3}(?: [A-Z]{3})+$/);
});
