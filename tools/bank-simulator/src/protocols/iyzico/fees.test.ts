import { expect, test } from "vitest";

import { commissions, spread } from "./fees.ts";

test.each([
  [
    [6_000n, 4_000n],
    [
      [177_000_000n, 15_000_000n],
      [118_000_000n, 10_000_000n],
    ],
  ],
  // An amount below 1.00 has no fee, so that its payout is never negative.
  [[99n], [[2_920_500n, 0n]]],
  [[100n], [[2_950_000n, 25_000_000n]]],
])("a payment of %s costs 2.95 % and 0.25, which its items share", (paidMinors, expected) => {
  const fees = commissions(paidMinors).map(({ rateUnits, feeUnits }) => [rateUnits, feeUnits]);
  expect(fees).toEqual(expected);
});

test("the last part takes what dividing has left", () => {
  expect(spread(100n, [1n, 1n, 1n])).toEqual([33n, 33n, 34n]);
  expect(spread(100n, [0n, 0n])).toEqual([0n, 100n]);
  expect(spread(100n, [])).toEqual([]);
});
