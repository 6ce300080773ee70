import { describe, expect, test } from "vitest";
import { commissionMinor } from "./commission.ts";

const plan = { ratePercent: "2.50", fixed: "0.25", currency: "TRY" };

describe("commissionMinor", () => {
  test.each([
    ["2.5 % of 12.50 is 0.3125, plus 0.25", 1250n, "TRY", 2, plan, 56n],
    ["a half rounds up", 100n, "TRY", 2, { ...plan, ratePercent: "0.5", fixed: "0" }, 1n],
    ["less than a half rounds down", 98n, "TRY", 2, { ...plan, ratePercent: "0.5", fixed: "0" }, 0n],
    ["the fixed part is due only in the plan's currency", 1250n, "USD", 2, plan, 31n],
    ["without decimals", 1000n, "JPY", 0, { ratePercent: "1.25", fixed: "3", currency: "JPY" }, 16n],
    [
      "four decimals of percent",
      100_000_000n,
      "TRY",
      2,
      { ...plan, ratePercent: "0.0001", fixed: "0.00" },
      100n,
    ],
    ["the largest amount", 99_999_999_999n, "TRY", 2, { ...plan, ratePercent: "99.9999" }, 99_999_900_024n],
    ["no plan, no commission", 1250n, "TRY", 2, undefined, 0n],
  ])("%s", (_case, amountMinor, currency, exponent, given, expected) => {
    expect(commissionMinor(amountMinor, currency, exponent, given)).toBe(expected);
  });
});
