import { expect, test } from "vitest";

import { commissions, spread } from "./commission.ts";

test("a payment costs 2.95 % and 0.25, which its items share", () => {
  expect(commissions([6_000n, 4_000n])).toEqual([
    { rateUnits: 177_000_000n, feeUnits: 15_000_000n },
    { rateUnits: 118_000_000n, feeUnits: 10_000_000n },
  ]);
});

test("a payment of less than 1.00 has no fee, so that its payout is never negative", () => {
  expect(commissions([99n])).toEqual([{ rateUnits: 2_920_500n, feeUnits: 0n }]);
  expect(commissions([100n])).toEqual([{ rateUnits: 2_950_000n, feeUnits: 25_000_000n }]);
});

test("the last part takes what dividing has left", () => {
  expect(spread(100n, [1n, 1n, 1n])).toEqual([33n, 33n, 34n]);
  expect(spread(100n, [0n, 0n])).toEqual([0n, 100n]);
  expect(spread(100n, [])).toEqual([]);
});
