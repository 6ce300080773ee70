import { expect, test } from "vitest";

import { planReversal } from "./plan-reversal.ts";
import { readDetails } from "./read-details.ts";
import { readJson } from "./read-json.ts";
import { detailsAnswer, reportedPayment } from "./test/scripted-iyzico.ts";

const businessDay = { timeZone: "Europe/Istanbul", cutOff: "23:00" };
const sentAt = new Date("2026-03-10T12:00:00Z");
const sameDay = new Date("2026-03-10T19:59:59Z");
const nextDay = new Date("2026-03-10T20:00:00Z");
const cancel = { refundPrice: 100, currencyCode: "TRY", refundStatus: 1 };

function plan(now: Date, ...payments: Record<string, unknown>[]) {
  const json = readJson(Buffer.from(JSON.stringify(detailsAnswer(...payments))));
  const details = readDetails(json as Record<string, unknown>, "order");
  if (details.kind !== "payments") throw new Error("the test's answer is invalid");
  const request = { reference: "ref", target: { amountMinor: 10_000n, at: sentAt } };
  return planReversal(details.payments, request, { now, businessDay });
}
const reported = (more: Record<string, unknown> = {}) => reportedPayment("order", "ref", more);

test("a payment that stands is cancelled on its business day", () => {
  expect(plan(sameDay, reported())).toMatchObject({ kind: "cancel", payment: { paymentId: "25149157" } });
});

test.each([0, -1])("a payment that stands is cancelled with the fraud status %i, too", (fraudStatus) => {
  expect(plan(sameDay, reported({ fraudStatus }))).toMatchObject({ kind: "cancel" });
});

test("a sale of a day that has ended is settled, and a hold can still be cancelled", () => {
  expect(plan(nextDay, reported())).toMatchObject({ kind: "settled" });
  expect(plan(nextDay, reported({ phase: "POST_AUTH" }))).toMatchObject({ kind: "settled" });
  expect(plan(nextDay, reported({ phase: "PRE_AUTH" }))).toMatchObject({ kind: "cancel" });
});

test("nothing is found where nothing was taken under our reference", () => {
  const nothing = { kind: "nothing_found" };
  expect(plan(sameDay)).toEqual(nothing);
  expect(plan(sameDay, reported({ paymentStatus: 0 }), reported({ paymentStatus: 3 }))).toEqual(nothing);
  expect(plan(sameDay, reportedPayment("order", "other-ref"))).toEqual(nothing);
});

test("what was cancelled before is reversed, and not cancelled again", () => {
  expect(plan(sameDay, reported({ cancels: [cancel] }))).toEqual({ kind: "reversed" });
  expect(plan(nextDay, reported({ cancels: [cancel] }))).toEqual({ kind: "reversed" });
});

test("a cancel never follows a refund", () => {
  const refunds = [{ refundPrice: 1, currencyCode: "TRY", refundStatus: 1 }];
  expect(plan(sameDay, reported({ itemTransactions: [{ refunds }] }))).toMatchObject({ kind: "settled" });
});

test("of two payments that stand nobody can tell which one to cancel", () => {
  expect(plan(sameDay, reported(), reported({ paymentId: "2" }))).toEqual({
    kind: "unknown",
    reason: "mismatch",
  });
  expect(plan(sameDay, reported({ cancels: [cancel] }), reported({ paymentId: "2" }))).toMatchObject({
    kind: "cancel",
    payment: { paymentId: "2" },
  });
});
