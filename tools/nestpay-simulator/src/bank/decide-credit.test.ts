import { expect, test } from "vitest";

import { credit, declinedSale, hold, order, row, rules } from "../../test/orders.ts";
import type { Rules } from "../modes.ts";
import { decideCredit } from "./decide-credit.ts";
import type { Order } from "./order.ts";
import { approved, refused } from "./refusals.ts";

const settled = row({ status: "settled" });

test("a settled sale is refunded in parts, up to its net amount", () => {
  expect(decide(order(settled), 1_250n)).toEqual(approved);
  expect(decide(order(settled), 1_251n)).toEqual(refused(2503));
  expect(decide(order(settled, credit(1_000n)), 250n)).toEqual(approved);
  expect(decide(order(settled, credit(1_000n)), 251n)).toEqual(refused(2503));
});

test("a captured hold is refunded up to what was captured", () => {
  const captured = hold({ status: "settled", capturedMinor: 1_000n });
  expect(decide(order(captured), 1_000n)).toEqual(approved);
  expect(decide(order(captured), 1_001n)).toEqual(refused(2503));
});

test("refused and voided refunds do not diminish the net amount, settled ones do", () => {
  const refund = (status: "declined" | "voided" | "settled") =>
    decide(order(settled, credit(1_000n, { status })), 1_250n);
  expect(refund("declined")).toEqual(approved);
  expect(refund("voided")).toEqual(approved);
  expect(refund("settled")).toEqual(refused(2503));
});

test("before the day's end there is no refund, but at banks that have same-day refunds", () => {
  expect(decide(order(row()), 100n)).toEqual(refused(2508));
  expect(decide(order(row()), 100n, { rules: { sameDayCredit: true } })).toEqual(approved);
});

test("a net amount of zero is told apart from one that is too small", () => {
  expect(decide(order(settled, credit(1_250n)), 1n)).toEqual(refused(2504));
  expect(decide(order(row({ status: "voided" })), 1n)).toEqual(refused(2504));
});

test.each([
  ["is not known", undefined, 2123],
  ["was declined", order(declinedSale()), 2116],
  ["is an open hold", order(hold()), 2117],
] as const)("an order that %s is not refunded", (_, existing, code) => {
  expect(decide(existing, 100n)).toEqual(refused(code));
});

test("a refund of nothing, of less, or in another currency is refused", () => {
  expect(decide(order(settled), 0n)).toEqual(refused(2009));
  expect(decide(order(settled), -1n)).toEqual(refused(1024));
  expect(decide(order(settled), 100n, { currency: "EUR" })).toEqual(refused(2119));
  expect(decide(order(settled), 100n, { currency: "TRY" })).toEqual(approved);
});

function decide(
  existing: Order | undefined,
  amountMinor: bigint,
  given: { rules?: Partial<Rules>; currency?: string } = {},
) {
  const request = { operation: "refund" as const, orderId: "o", amountMinor, currency: given.currency };
  return decideCredit(existing, request, rules(given.rules));
}
