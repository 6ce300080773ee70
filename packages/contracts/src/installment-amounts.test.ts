import * as fc from "fast-check";
import { expect, test } from "vitest";
import { installmentAmounts } from "./installment-amounts.ts";

const totals = fc.bigInt({ min: 1n, max: 99_999_999_999n });
const counts = fc.integer({ min: 1, max: 12 });

test("the installments are the total, the first one takes what cannot be divided, and none is nothing", () => {
  fc.assert(
    fc.property(totals, counts, (total, count) => {
      const amounts = installmentAmounts(total, count);
      if (amounts === undefined) {
        expect(total).toBeLessThan(BigInt(count));
        return;
      }
      const { firstMinor, furtherMinor } = amounts;
      expect(firstMinor + furtherMinor * BigInt(count - 1)).toBe(total);
      expect(furtherMinor).toBeGreaterThan(0n);
      expect(firstMinor).toBeGreaterThanOrEqual(furtherMinor);
      expect(firstMinor - furtherMinor).toBeLessThan(BigInt(count));
    }),
  );
});

test.each([
  [124_990n, 3, 41_664n, 41_663n],
  [124_990n, 6, 20_835n, 20_831n],
  [120_000n, 12, 10_000n, 10_000n],
  [1_250n, 1, 1_250n, 1_250n],
])("%i in %i is %i and then %i", (total, count, firstMinor, furtherMinor) => {
  expect(installmentAmounts(total, count)).toEqual({ firstMinor, furtherMinor });
});
