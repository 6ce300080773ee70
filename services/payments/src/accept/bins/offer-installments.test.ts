import {
  CURRENCIES,
  currencyExponent,
  installmentTotal,
  parseJsonAmount,
  type InstallmentPrice,
} from "@holdfast/contracts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { FindRoute } from "../../bank/account/routing.ts";
import { createBinTable } from "./bin-table.ts";
import { lookUpBin } from "./look-up-bin.ts";
import { offerInstallments } from "./offer-installments.ts";

const CARD = {
  cardScheme: "VISA",
  cardType: "CREDIT",
  country: "TR",
  loyaltyCode: "BONUS",
  installmentsMax: 12,
} as const;
const merchantId = "0199ab2f-4710-7d7f-89a0-fa1c3d815db2";

/** An account with these prices, to which all payments go but those in so many installments. */
const routeTo =
  (prices: readonly InstallmentPrice[], except?: number): FindRoute =>
  (_merchant, payment) =>
    payment.installmentCount === except
      ? []
      : [
          {
            accountId: "a",
            retriesAt: [],
            totalMinor: installmentTotal(prices, { ...payment, day: "2026-12-01" }),
          },
        ];

const price = (installmentCount: number, ratePercent: string): InstallmentPrice => ({
  loyaltyCode: "BONUS",
  installmentCount,
  payer: "BUYER",
  ratePercent,
  from: "2026-01-01",
});

test("the totals that a merchant reads are those that its payment is compared with, in every currency", () => {
  const bins = createBinTable([{ digits: 6, from: 411111, to: 411111, data: CARD }]);
  const currencies = fc.constantFrom(...CURRENCIES);
  const minors = fc.bigInt({ min: 1n, max: 99_999_999_999n });
  const rates = fc
    .integer({ min: 1, max: 999_999 })
    .map((parts) => `${Math.floor(parts / 10_000)}.${String(parts % 10_000).padStart(4, "0")}`);
  fc.assert(
    fc.property(currencies, minors, rates, (currency, amountMinor, rate) => {
      const exponent = currencyExponent(currency)!;
      const findRoute = routeTo([price(3, rate), price(7, rate)]);
      const order = { amountMinor: amountMinor.toString(), currency };
      const deps = { bins: () => bins, homeCountry: "TR", findRoute };
      const reply = lookUpBin(deps, merchantId, { bin: "411111", order });
      if (reply.outcome !== "done") throw new Error(reply.outcome);
      for (const { installmentCount, installmentTotal: total, parts } of reply.result.installments!) {
        const minor = (amount: number) => parseJsonAmount(String(amount), exponent) as bigint;
        const [charged] = findRoute(merchantId, {
          livemode: true,
          currency,
          domInt: "DOM",
          cardScheme: "VISA",
          loyaltyCode: "BONUS",
          installmentCount,
          amountMinor,
        })!;
        expect(minor(total)).toBe(charged!.totalMinor);
        expect(parts).toHaveLength(installmentCount);
        expect(parts.map(minor).reduce((sum, part) => sum + part)).toBe(charged!.totalMinor);
      }
    }),
  );
});

test("a number that no account takes is not offered, nor one whose installments would be nothing or too much", () => {
  const counts = [1, 2, 3, 4];
  const asked = { merchantId, card: CARD, currency: "TRY", counts };
  const deps = { findRoute: routeTo([price(2, "10")], 3), homeCountry: "TR" };
  expect(offerInstallments(deps, { ...asked, amountMinor: 10n })).toEqual([
    { count: 1, totalMinor: 10n, partsMinor: [10n] },
    { count: 2, totalMinor: 11n, partsMinor: [6n, 5n] },
    { count: 4, totalMinor: 10n, partsMinor: [4n, 2n, 2n, 2n] },
  ]);
  const countsOf = (amountMinor: bigint) =>
    offerInstallments(deps, { ...asked, amountMinor })!.map(({ count }) => count);
  expect(countsOf(1n)).toEqual([1]);
  expect(countsOf(99_999_999_999n)).toEqual([1, 4]);
});

test("before routes have been read nothing is offered", () => {
  const deps = { findRoute: () => undefined, homeCountry: "TR" };
  const asked = { merchantId, card: undefined, currency: "TRY", counts: [1], amountMinor: 1n };
  expect(offerInstallments(deps, asked)).toBeUndefined();
});
