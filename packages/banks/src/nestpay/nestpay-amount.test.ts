import * as fc from "fast-check";
import { expect, test } from "vitest";

import { NESTPAY_CURRENCIES, readDecimal, readMinorUnits, writeAmount } from "./nestpay-amount.ts";

test("an amount is written with a point, two decimals and the currency's number", () => {
  expect(writeAmount(124_990n, "TRY")).toEqual({ total: "1249.90", currency: "949" });
  expect(writeAmount(1n, "USD")).toEqual({ total: "0.01", currency: "840" });
  expect(writeAmount(100n, "EUR")).toEqual({ total: "1.00", currency: "978" });
  expect(writeAmount(10n, "GBP")).toEqual({ total: "0.10", currency: "826" });
});

test("every amount of every currency comes back exactly", () => {
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 18n - 1n });
  fc.assert(
    fc.property(amounts, fc.constantFrom(...NESTPAY_CURRENCIES), (amountMinor, currency) => {
      const { total } = writeAmount(amountMinor, currency)!;
      expect(readDecimal(total)).toBe(amountMinor);
      expect(readDecimal(total.replace(".", ","))).toBe(amountMinor);
      expect(readMinorUnits(String(amountMinor))).toBe(amountMinor);
    }),
  );
});

test.each([
  [0n, "TRY"],
  [-1n, "TRY"],
  [10n ** 18n, "TRY"],
  [100n, "JPY"],
  [100n, "toString"],
])("%s minor units of %s cannot be written", (amountMinor, currency) => {
  expect(writeAmount(amountMinor, currency)).toBeUndefined();
});

test.each(["", "1.", ".1", "1.234", "100.250,00", "-1.00", "1e3", " 1.00", "0x10", "١.٠٠", "9".repeat(17)])(
  "%o is no decimal amount",
  (text) => {
    expect(readDecimal(text)).toBeUndefined();
  },
);

test.each(["", "1.00", "-1", "+1", "1 ", "9".repeat(19)])("%o is no amount in minor units", (text) => {
  expect(readMinorUnits(text)).toBeUndefined();
});

test("one decimal is tenths", () => {
  expect(readDecimal("1249.9")).toBe(124_990n);
  expect(readDecimal("1249")).toBe(124_900n);
});
