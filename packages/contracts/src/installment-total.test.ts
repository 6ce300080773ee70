import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CURRENCIES, currencyExponent } from "./money.ts";
import { faultOfIssue, parseInOurWords } from "./fault-of-issue.ts";
import {
  INSTALLMENT_PRICES_MAX,
  installmentPriceListSchema,
  type InstallmentPrice,
} from "./http/installment-prices.ts";
import { dayIn, installmentParts, installmentTotal } from "./installment-total.ts";

const price: InstallmentPrice = {
  loyaltyCode: "BONUS",
  installmentCount: 3,
  payer: "BUYER",
  ratePercent: "3.75",
  from: "2026-12-01",
  to: "2027-01-01",
};
const basis = { amountMinor: 124_990n, installmentCount: 3, loyaltyCode: "BONUS", day: "2026-12-15" };

describe("the total", () => {
  test.each<[string, Partial<InstallmentPrice>, Partial<typeof basis>, bigint]>([
    ["has the rate where the buyer pays", {}, {}, 129_677n],
    ["is the price where the merchant pays", { payer: "MERCHANT" }, {}, 124_990n],
    ["has a half unit rounded up", { ratePercent: "0.5" }, { amountMinor: 100n }, 101n],
    ["has less than a half rounded down", { ratePercent: "0.5" }, { amountMinor: 99n }, 99n],
    ["has four decimals of a percent", { ratePercent: "0.0001" }, { amountMinor: 500_000n }, 500_001n],
    ["of another count is the price", {}, { installmentCount: 4 }, 124_990n],
    ["of another programme is the price", {}, { loyaltyCode: "WORLD" }, 124_990n],
    ["begins with the first day", {}, { day: "2026-12-01" }, 129_677n],
    ["does not begin before", {}, { day: "2026-11-30" }, 124_990n],
    ["ends before the last day", {}, { day: "2027-01-01" }, 124_990n],
    ["lasts without an end", { to: undefined }, { day: "2099-01-01" }, 129_677n],
  ])("%s", (_, given, asked, total) => {
    expect(installmentTotal([{ ...price, ...given }], { ...basis, ...asked })).toBe(total);
  });

  test("of a card without a programme has only the price that names none", () => {
    const none = { ...basis, loyaltyCode: null };
    expect(installmentTotal([price], none)).toBe(124_990n);
    expect(installmentTotal([{ ...price, loyaltyCode: undefined }], none)).toBe(129_677n);
    expect(installmentTotal([{ ...price, loyaltyCode: undefined }], basis)).toBe(124_990n);
  });

  const rates = fc.integer({ min: 1, max: 999_999 }).map((parts) => {
    const digits = String(parts).padStart(5, "0");
    return `${Number(digits.slice(0, -4))}.${digits.slice(-4)}`;
  });

  test("is within half a minor unit of the exact one, in every currency, and its parts add up to it", () => {
    const currencies = fc.constantFrom(...CURRENCIES);
    const majors = fc.integer({ min: 1, max: 999_999_999 });
    const counts = fc.integer({ min: 2, max: 12 });
    fc.assert(
      fc.property(currencies, majors, rates, counts, (currency, major, ratePercent, installmentCount) => {
        const amountMinor = BigInt(major) * 10n ** BigInt(currencyExponent(currency)!) - 1n || 1n;
        const asked = { ...basis, amountMinor, installmentCount };
        const total = installmentTotal([{ ...price, ratePercent, installmentCount }], asked);
        // Both sides are in ten-thousandths of a percent of a minor unit, so nothing is rounded here.
        const exact = amountMinor * (1_000_000n + BigInt(ratePercent.replace(".", "")));
        const error = total * 1_000_000n - exact;
        expect(error).toBeLessThanOrEqual(500_000n);
        expect(error).toBeGreaterThan(-500_000n);
        const parts = installmentParts(total, installmentCount);
        if (!parts) {
          expect(total).toBeLessThan(BigInt(installmentCount));
          return;
        }
        expect(parts).toHaveLength(installmentCount);
        expect(parts.reduce((sum, part) => sum + part)).toBe(total);
        expect(new Set(parts.slice(1)).size).toBe(1);
        expect(parts[0]! - parts[1]!).toBeGreaterThanOrEqual(0n);
        expect(parts[0]! - parts[1]!).toBeLessThan(BigInt(installmentCount));
      }),
    );
  });
});

test("a day is the one of the account's time zone", () => {
  const at = new Date("2026-12-31T21:30:00Z");
  expect(dayIn("Europe/Istanbul", at)).toBe("2027-01-01");
  expect(dayIn("UTC", at)).toBe("2026-12-31");
});

describe("a list of prices", () => {
  const faultsOf = (list: unknown) =>
    (parseInOurWords(installmentPriceListSchema, list).error?.issues ?? []).map(
      (issue) => `${issue.path.join(".")} ${faultOfIssue(issue, list).code}`,
    );

  test.each<[string, unknown[], string[]]>([
    ["is good with one price after the other", [price, { ...price, from: price.to, to: undefined }], []],
    [
      "is good with other cards, counts",
      [price, { ...price, loyaltyCode: "WORLD" }, { ...price, installmentCount: 4 }],
      [],
    ],
    ["has no two of one day", [price, { ...price, from: "2026-12-31", to: undefined }], ["1.from duplicate"]],
    [
      "has no two without end",
      [
        { ...price, to: undefined },
        { ...price, from: "2030-01-01" },
      ],
      ["1.to invalid_range"],
    ],
    ["has none without a day", [{ ...price, to: price.from }], ["0.to invalid_range"]],
    [
      "has none that ends before it begins",
      [price, { ...price, from: "2028-01-01" }],
      ["1.to invalid_range"],
    ],
    [
      "has no rate of nothing for a buyer",
      [{ ...price, ratePercent: "0.0000" }],
      ["0.ratePercent too_small"],
    ],
    ["has a rate of nothing for a merchant", [{ ...price, payer: "MERCHANT", ratePercent: "0" }], []],
    ["has no fifth decimal", [{ ...price, ratePercent: "0.00001" }], ["0.ratePercent invalid_format"]],
    ["has rates that are numbers", [{ ...price, ratePercent: "x" }], ["0.ratePercent invalid_format"]],
    ["has no rate of 100", [{ ...price, ratePercent: "100" }], ["0.ratePercent invalid_format"]],
    [
      "has no price for one installment",
      [{ ...price, installmentCount: 1 }],
      ["0.installmentCount too_small"],
    ],
    ["has days that exist", [{ ...price, from: "2026-02-30" }], ["0.from invalid_format"]],
    ["names who pays", [{ ...price, payer: "SHOP" }], ["0.payer invalid_value"]],
    [
      "has an end",
      Array.from({ length: INSTALLMENT_PRICES_MAX + 1 }, (_, year) => ({
        ...price,
        from: `${2000 + year}-01-01`,
        to: `${2000 + year}-02-01`,
      })),
      [" too_big"],
    ],
  ])("%s", (_, list, faults) => {
    expect(faultsOf(list)).toEqual(faults);
  });

  test("that is taken has one price of a day at most", () => {
    const days = fc.integer({ min: 1, max: 28 }).map((day) => `2026-12-${String(day).padStart(2, "0")}`);
    const rows = fc.record({
      installmentCount: fc.integer({ min: 2, max: 3 }),
      payer: fc.constant("BUYER" as const),
      ratePercent: fc.constant("1"),
      from: days,
      to: fc.option(days, { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 4 }), days, (list, day) => {
        const isPrice = ({ from, to }: { from: string; to?: string | undefined }) =>
          from <= day && (to === undefined || day < to);
        const counts = list.filter(isPrice).map(({ installmentCount }) => installmentCount);
        const isTaken = faultsOf(list).length === 0;
        expect(isTaken && new Set(counts).size < counts.length).toBe(false);
      }),
    );
  });
});
