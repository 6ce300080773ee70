import { expect, test } from "vitest";

import { credit, declinedSale, hold, order, row, rules } from "../../test/orders.ts";
import type { Rules } from "../modes.ts";
import { decideVoidOfMovement, decideVoidOfOrder } from "./decide-void.ts";
import type { Order, Row } from "./order.ts";
import { approved, refused } from "./refusals.ts";

const capturedHold = { status: "captured", captureTransactionId: "capture" } as const;

test.each([
  ["a sale", row()],
  ["a hold", hold()],
  ["a captured hold", hold(capturedHold)],
  ["a refund", credit(100n)],
])("%s is voided on its day, by its order or its TransId", (_, only) => {
  expect(byOrder(order(only))).toMatchObject({ verdict: approved, found: { row: only } });
  expect(byId(only, only.captureTransactionId ?? only.transactionId)).toMatchObject({
    verdict: approved,
    found: { row: only },
  });
});

test("what a day's end has settled cannot be voided", () => {
  const settled = row({ status: "settled" });
  expect(byOrder(order(settled)).verdict).toEqual(refused(2511));
  expect(byId(settled).verdict).toEqual(refused(2511));
});

test.each([
  ["an order that the bank does not know", undefined],
  ["an order that was declined", order(declinedSale())],
  ["an order that was voided", order(row({ status: "voided" }))],
])("%s has nothing to void", (_, existing) => {
  expect(byOrder(existing).verdict).toEqual(refused(2008));
});

test("a TransId that the bank does not know, or of a voided movement, has nothing to void", () => {
  expect(decideVoidOfMovement(undefined, "x", 1, rules()).verdict).toEqual(refused(2008));
  expect(byId(row({ status: "voided" })).verdict).toEqual(refused(2008));
});

test("several voidable movements have to be named by TransId", () => {
  const both = order(credit(100n), credit(200n, { transactionId: "second" }));
  expect(byOrder(both).verdict).toEqual(refused(2133));
});

test("after the day's end a void of the order voids its refund", () => {
  const refund = credit(100n, { batch: 2 });
  const { verdict, found } = decideVoidOfOrder(order(row({ status: "settled" }), refund), 2, rules());
  expect(verdict).toEqual(approved);
  expect(found?.row).toBe(refund);
});

test("a sale is not voided while a refund of it stands", () => {
  const sale = row();
  const refunded = (refund: Row) =>
    decideVoidOfMovement({ order: order(sale, refund), row: sale }, sale.transactionId, 1, rules()).verdict;
  expect(refunded(credit(100n))).toEqual(refused(2008));
  expect(refunded(credit(100n, { status: "voided" }))).toEqual(approved);
});

test("a hold of an earlier day is voided at most banks, and not at others", () => {
  expect(byOrder(order(hold()), 2).verdict).toEqual(approved);
  expect(byOrder(order(hold()), 2, { voidHoldsAfterDay: false }).verdict).toEqual(refused(2008));
  expect(byOrder(order(hold()), 1, { voidHoldsAfterDay: false }).verdict).toEqual(approved);
});

test("the TransId of a hold that was captured voids nothing, unless the bank's rows go by it", () => {
  const captured = hold(capturedHold);
  expect(byId(captured, captured.transactionId).verdict).toEqual(refused(2008));
  expect(byId(captured, captured.transactionId, { transIdAfterCapture: "hold" }).verdict).toEqual(approved);
});

function byOrder(existing: Order | undefined, batch = 1, changes: Partial<Rules> = {}) {
  return decideVoidOfOrder(existing, batch, rules(changes));
}

function byId(only: Row, transactionId = only.transactionId, changes: Partial<Rules> = {}) {
  return decideVoidOfMovement({ order: order(only), row: only }, transactionId, 1, rules(changes));
}
