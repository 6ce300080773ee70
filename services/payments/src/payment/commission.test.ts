import { commissionPlanSchema, installmentsOf, type CommissionPlan } from "@holdfast/contracts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commissionMinor, type CommissionBasis } from "./commission.ts";

const CARD = { cardType: "CREDIT", domInt: "DOM", installmentCount: 1 } as const;

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
    ["never above the amount", 10n, "TRY", 2, plan, 10n],
    ["but where the plan says so", 10n, "TRY", 2, { ...plan, mayExceedAmount: true }, 25n],
  ])("%s", (_case, amountMinor, currency, currencyExponent, given, expected) => {
    expect(commissionMinor({ amountMinor, currency, currencyExponent, ...CARD }, given)).toBe(expected);
  });

  const ruled: CommissionPlan = {
    ratePercent: "9",
    fixed: "0",
    currency: "TRY",
    rules: [
      {
        cardType: "CREDIT",
        domInt: "DOM",
        installmentsFrom: 2,
        installmentsTo: 6,
        ratePercent: "1",
        fixed: "0",
      },
      { cardType: "CREDIT", installmentsFrom: 2, ratePercent: "2", fixed: "0" },
      { cardType: "DEBIT", ratePercent: "3", fixed: "0.10" },
      { domInt: "INT", ratePercent: "4", fixed: "0" },
    ],
  };
  test.each([
    ["the first rule that names the payment counts", "CREDIT", "DOM", 3, 100n],
    ["at both ends of its installments", "CREDIT", "DOM", 6, 100n],
    ["beyond them a later one", "CREDIT", "DOM", 7, 200n],
    ["a rule leaves open what it does not name", "CREDIT", "INT", 2, 200n],
    ["an earlier rule counts before a later one", "DEBIT", "INT", 1, 310n],
    ["by country alone", "PREPAID", "INT", 1, 400n],
    ["what no rule names pays by the plan", "CREDIT", "DOM", 1, 900n],
    ["an unknown card is named by no rule that asks", null, null, 3, 900n],
  ] as const)("%s", (_case, cardType, domInt, installmentCount, expected) => {
    const basis = { amountMinor: 10_000n, currency: "TRY", currencyExponent: 2 };
    expect(commissionMinor({ ...basis, cardType, domInt, installmentCount }, ruled)).toBe(expected);
  });
});

const decimals = (max: number, digits: number) =>
  fc
    .tuple(fc.nat(max), fc.nat(10 ** digits - 1))
    .map(([whole, part]) => `${whole}.${String(part).padStart(digits, "0")}`);
const rates = { ratePercent: decimals(99, 4), fixed: decimals(999_999, 2) };
const cardTypes = fc.constantFrom("CREDIT", "DEBIT", "PREPAID");
const sides = fc.constantFrom("DOM", "INT");
const rules = fc
  .record(
    {
      cardType: cardTypes,
      domInt: sides,
      installmentsFrom: fc.integer({ min: 1, max: 12 }),
      installmentsTo: fc.integer({ min: 1, max: 12 }),
      ...rates,
    },
    { requiredKeys: ["ratePercent", "fixed"] },
  )
  .filter((rule) => installmentsOf(rule).from <= installmentsOf(rule).to);
const plans = fc
  .record({ ...rates, currency: fc.constantFrom("TRY", "EUR"), rules: fc.array(rules, { maxLength: 6 }) })
  .filter((plan) => commissionPlanSchema.safeParse(plan).success) as fc.Arbitrary<CommissionPlan>;
const amounts = fc.bigInt({ min: 1n, max: 99_999_999_999n });
const bases: fc.Arbitrary<CommissionBasis> = fc.record({
  amountMinor: amounts,
  currency: fc.constantFrom("TRY", "EUR"),
  currencyExponent: fc.constant(2),
  cardType: fc.option(cardTypes),
  domInt: fc.option(sides),
  installmentCount: fc.integer({ min: 1, max: 12 }),
});

describe("whatever the plan", () => {
  test("a commission is never negative and never above the amount", () => {
    fc.assert(
      fc.property(bases, plans, (basis, plan) => {
        const commission = commissionMinor(basis, plan);
        expect(commission >= 0n && commission <= basis.amountMinor).toBe(true);
      }),
    );
  });

  test("a larger amount never costs less, whether or not the plan may go beyond it", () => {
    fc.assert(
      fc.property(bases, amounts, plans, fc.boolean(), (basis, other, plan, mayExceedAmount) => {
        const [less, more] =
          basis.amountMinor < other ? [basis.amountMinor, other] : [other, basis.amountMinor];
        const of = (amountMinor: bigint) =>
          commissionMinor({ ...basis, amountMinor }, { ...plan, mayExceedAmount });
        expect(of(less) <= of(more)).toBe(true);
      }),
    );
  });

  test("it is within half a minor unit of the exact percentage plus the fixed part of the rule that counts", () => {
    fc.assert(
      fc.property(bases, plans, (basis, plan) => {
        const { amountMinor } = basis;
        const rule = plan.rules?.find(
          (each) =>
            [undefined, basis.cardType].includes(each.cardType) &&
            [undefined, basis.domInt].includes(each.domInt) &&
            basis.installmentCount >= (each.installmentsFrom ?? 1) &&
            basis.installmentCount <= (each.installmentsTo ?? 12),
        );
        const { ratePercent, fixed } = rule ?? plan;
        const fixedMinor = basis.currency === plan.currency ? BigInt(fixed.replace(".", "")) : 0n;
        // In millionths of a minor unit the percentage is exact.
        const exact = amountMinor * BigInt(ratePercent.replace(".", "")) + fixedMinor * 1_000_000n;
        const given = commissionMinor(basis, { ...plan, mayExceedAmount: true }) * 1_000_000n;
        expect(given - exact > -500_000n && given - exact <= 500_000n).toBe(true);
      }),
    );
  });

  test("a rule put after those that are there changes nothing for what they name", () => {
    fc.assert(
      fc.property(bases, plans, rules, (basis, plan, late) => {
        const everything = { ratePercent: plan.ratePercent, fixed: plan.fixed };
        const before = commissionMinor(basis, { ...plan, rules: [...plan.rules!, everything] });
        const after = commissionMinor(basis, { ...plan, rules: [...plan.rules!, everything, late] as never });
        expect(after).toBe(before);
      }),
    );
  });
});
