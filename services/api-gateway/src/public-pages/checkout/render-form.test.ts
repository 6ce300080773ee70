import { CURRENCIES, installmentParts } from "@holdfast/contracts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pageOf } from "../../../test/test-checkouts.ts";
import { installmentChoices, pricedOf, pricedQuery } from "./render-form.ts";

const locale = { language: "en", locale: "en" } as const;
const merchantId = "0199ab2f-4710-7d7f-89a0-fa1c3d815db2";
/** An amount of the page in minor units: all of the currency's decimals are written. */
const minorOf = (text: string) => BigInt(text.replaceAll(/\D/g, ""));

test("the page shows the total to the smallest unit and its parts, and the form has it, in every currency", () => {
  const currencies = fc.constantFrom(...CURRENCIES);
  const totals = fc.bigInt({ min: 1n, max: 99_999_999_999n });
  const counts = fc.integer({ min: 2, max: 12 });
  fc.assert(
    fc.property(currencies, totals, counts, (currency, total, count) => {
      const checkout = pageOf({ merchantId, currency, installmentPrices: true });
      const [choice] = installmentChoices(checkout, [{ count, totalMinor: total.toString() }], locale);
      const parts = installmentParts(total, count);
      expect(choice?.value).toBe(parts && `${count}:${total}`);
      if (!choice || !parts) return;
      const [first, further] = parts as [bigint, bigint];
      expect(minorOf(choice.label.split("×")[1]!)).toBe(further);
      const [, shownFirst, shownTotal] = /^(?:first (.+), )?(.+) in total$/.exec(choice.detail!)!;
      expect(minorOf(shownTotal!)).toBe(total);
      expect(shownFirst === undefined ? further : minorOf(shownFirst)).toBe(first);
    }),
    { numRuns: 300 },
  );
});

test("a checkout whose buyers pay its amount has no total in its form", () => {
  const checkout = pageOf({ merchantId });
  const offers = [1, 3].map((count) => ({ count, totalMinor: checkout.amountMinor }));
  expect(installmentChoices(checkout, offers, locale).map(({ value }) => value)).toEqual(["1", "3"]);
});

test("the present total of the chosen installments is read from the address, and nothing else", () => {
  const read = (query: string) => pricedOf(new URLSearchParams(query));
  const priced = { count: 12, totalMinor: "129700" };
  expect(read(pricedQuery(priced))).toEqual(priced);
  expect(pricedQuery(undefined)).toBe("");
  for (const forged of ["", "price=1:5", "price=13:5", "price=3:", "price=3:-5", "price=3:5x", "price=3"])
    expect(read(forged)).toBeUndefined();
});
