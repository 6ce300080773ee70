import { expect, test } from "vitest";
import { moneyParts } from "./money-bar.ts";

const paid = { amount: 100, currency: "TRY", status: "SUCCESS", transactionType: "PAYMENT" } as const;
const partsOf = (change: object) => moneyParts({ ...paid, ...change });

test.each([
  [{}, { whole: 10_000, kept: 10_000 }],
  [
    { refundableAmount: 73.96, refundedAmount: 5, pendingRefundAmount: 1.04, chargedBackAmount: 20 },
    { whole: 10_000, kept: 7_396, pending: 104, refunded: 500, disputed: 2_000 },
  ],
  // The buyer has paid for installments, too.
  [{ installmentTotal: 103.75 }, { whole: 10_375, kept: 10_375 }],
  // A release before the capture was never charged.
  [
    {
      status: "CAPTURED",
      capturedAmount: 60,
      refundedAmount: 40,
      pendingRefundAmount: 0,
      refundableAmount: 60,
    },
    { whole: 6_000, kept: 6_000 },
  ],
  [
    { currency: "JPY", refundableAmount: 40, pendingRefundAmount: 60 },
    { whole: 100, kept: 40, pending: 60 },
  ],
  // A chargeback of all comes beside a refund that waits.
  [
    { refundableAmount: 0, pendingRefundAmount: 10, chargedBackAmount: 100 },
    { whole: 10_000, pending: 1_000, disputed: 10_000, beyond: 1_000 },
  ],
  // A dispute is about what was refunded already, too.
  [
    { refundableAmount: 0, refundedAmount: 30, pendingRefundAmount: 0, chargedBackAmount: 100 },
    { whole: 10_000, refunded: 3_000, disputed: 10_000, beyond: 3_000 },
  ],
  [
    {
      status: "CAPTURED",
      capturedAmount: 100,
      refundableAmount: 0,
      refundedAmount: 30,
      pendingRefundAmount: 0,
      chargedBackAmount: 80,
    },
    { whole: 10_000, refunded: 3_000, disputed: 8_000, beyond: 1_000 },
  ],
])("of %j the four amounts are all of it", (change, parts) => {
  const whole = { kept: 0, pending: 0, refunded: 0, disputed: 0, beyond: 0, ...parts };
  expect(partsOf(change)).toEqual(whole);
  expect(whole.kept + whole.pending + whole.refunded + whole.disputed).toBe(whole.whole + whole.beyond);
});

test("of a partial capture that is disputed after a refund, the amounts beside the refund tell it from a release", () => {
  const captured = {
    status: "CAPTURED",
    capturedAmount: 60,
    refundableAmount: 0,
    refundedAmount: 30,
    pendingRefundAmount: 0,
    chargedBackAmount: 60,
  } as const;
  const beside = { amount: 60, pendingRefundAmount: 0, chargedBackAmount: 60 };
  const of = (refundedAmount: number) => moneyParts({ ...paid, ...captured }, { ...beside, refundedAmount });
  expect(of(30)).toMatchObject({ whole: 6_000, refunded: 3_000, disputed: 6_000, beyond: 3_000 });
  expect(of(0)).toMatchObject({ whole: 6_000, refunded: 0, disputed: 6_000, beyond: 0 });
});

test.each(["FAILED", "REJECTED", "CANCELLED", "ENROLLED"])("a payment that is %s has none", (status) => {
  expect(partsOf({ status })).toBeUndefined();
});
