import { expect, test } from "vitest";
import { refuseOpening, type DisputedPayment } from "./chargeback.ts";

const CHARGEBACK_ID = "01990000-0000-7000-8000-000000000001";

/** A sale of 100.00 without any refund. */
const sale = (change: Partial<DisputedPayment> = {}): DisputedPayment => ({
  state: "SUCCESS",
  transaction_type: "PAYMENT",
  currency: "TRY",
  currency_exponent: 2,
  operation_id: null,
  amount_minor: 10_000n,
  captured_minor: 0n,
  released_minor: 0n,
  reserved_minor: 0n,
  refunded_minor: 0n,
  charged_back_minor: 0n,
  ...change,
});
const refusal = (payment: DisputedPayment, amountMinor: bigint, currency = "TRY") => {
  const problem = refuseOpening(payment, [], { amountMinor, currency });
  return problem && [problem.code, problem.extra];
};
const tooMuch = (disputableAmount: number) => ["chargeback_amount_exceeds_captured", { disputableAmount }];
const uncaptured = (currentStatus: string) => ["payment_not_captured", { currentStatus }];

test("a sale is disputed whole, and what was refunded of it or waits to be does not lessen it", () => {
  const refunded = sale({ refunded_minor: 7_000n, reserved_minor: 3_000n });
  for (const payment of [sale(), refunded]) {
    expect(refusal(payment, 10_000n)).toBeUndefined();
    expect(refusal(payment, 10_001n)).toEqual(tooMuch(100));
  }
});

test("what earlier cases took is not disputed again, and a line that took more leaves nothing", () => {
  const disputed = sale({ charged_back_minor: 6_000n });
  expect(refusal(disputed, 4_000n)).toBeUndefined();
  expect(refusal(disputed, 4_001n)).toEqual(tooMuch(40));
  expect(refusal(sale({ charged_back_minor: 12_000n }), 1n)).toEqual(tooMuch(0));
});

test("of an authorization only what was captured is disputed", () => {
  const authorized = sale({ transaction_type: "PRE_AUTHORIZATION", released_minor: 1_000n });
  expect(refusal(authorized, 1n)).toEqual(uncaptured("SUCCESS"));
  const captured = { ...authorized, state: "CAPTURED", captured_minor: 3_000n } as const;
  expect(refusal(captured, 3_000n)).toBeUndefined();
  expect(refusal(captured, 3_001n)).toEqual(tooMuch(30));
});

test.each([
  ["ENROLLED", "ENROLLED"],
  ["AUTHORIZING", "ENROLLED"],
  ["REVERSING", "ENROLLED"],
  ["FAILED", "FAILED"],
  ["REJECTED", "REJECTED"],
  ["CANCELLED", "CANCELLED"],
] as const)("a payment in %s is not disputed", (state, status) => {
  expect(refusal(sale({ state }), 1n)).toEqual(uncaptured(status));
});

test("while a capture or a void is under way nothing is opened: it decides what was captured", () => {
  expect(refusal(sale({ operation_id: "1" }), 1n)).toEqual(["operation_in_progress", undefined]);
});

test("the currency is the payment's, and a copy of an open case names the one that is there", () => {
  expect(refusal(sale(), 1n, "EUR")).toEqual(["currency_mismatch", undefined]);
  const one = {
    chargeback_id: CHARGEBACK_ID,
    kind: "CHARGEBACK",
    status: "OPEN",
    amount_minor: 6_000n,
    reversed_minor: 0n,
    currency: "TRY",
  } as const;
  const asked = { amountMinor: 6_000n, currency: "TRY" };
  const payment = sale({ charged_back_minor: 6_000n });
  expect(refuseOpening(payment, [one], asked)).toEqual({
    outcome: "problem",
    code: "chargeback_exists",
    detail: `It is ${CHARGEBACK_ID}`,
  });
  expect(refuseOpening(payment, [{ ...one, status: "LOST" }], asked)).toMatchObject({
    code: "chargeback_amount_exceeds_captured",
  });
});
