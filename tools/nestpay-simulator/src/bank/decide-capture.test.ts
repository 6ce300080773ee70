import { expect, test } from "vitest";

import { declinedSale, hold, order, row, rules } from "../../test/orders.ts";
import { NOON } from "../../test/test-bank.ts";
import { DAY_MS } from "../bank-time.ts";
import type { Rules } from "../modes.ts";
import { decideCapture } from "./decide-capture.ts";
import type { CaptureRequest } from "./money-request.ts";
import type { Order } from "./order.ts";
import { approved, refused } from "./refusals.ts";

test("a hold is captured in a part of it, or in all of it where no amount is named", () => {
  expect(decide()).toMatchObject({ verdict: approved, amountMinor: 1_250n });
  expect(decide({ request: { amountMinor: 1_000n } })).toMatchObject({
    verdict: approved,
    amountMinor: 1_000n,
  });
});

test.each([
  ["an order that the bank does not know", undefined],
  ["a declined hold", order(declinedSale({ isHold: true }))],
  ["a hold that is captured", order(hold({ status: "captured" }))],
  ["a hold that is voided", order(hold({ status: "voided" }))],
])("%s has nothing to capture", (_, existing) => {
  expect(decideCapture(existing, request(), NOON, rules()).verdict).toEqual(refused(2509));
});

test("a sale is not captured", () => {
  expect(decide({ order: order(row()) }).verdict).toEqual(refused(2115));
});

test("a hold lives fifteen days", () => {
  expect(decide({ nowMs: NOON + 15 * DAY_MS }).verdict).toEqual(approved);
  expect(decide({ nowMs: NOON + 15 * DAY_MS + 1 }).verdict).toEqual(refused(2513));
});

test("more than the hold is refused, and with PREAMT, too, at a merchant without the right", () => {
  expect(decide({ request: { amountMinor: 1_251n } }).verdict).toEqual(refused(2505));
  const named = { amountMinor: 1_251n, holdMinor: 1_250n };
  expect(decide({ request: named }).verdict).toEqual(refused(2512));
});

test("a merchant with the right may exceed the hold by 15 % where PREAMT names the hold", () => {
  const right = { captureOverHold: true };
  const most = { amountMinor: 1_437n, holdMinor: 1_250n };
  expect(decide({ request: most, rules: right }).verdict).toEqual(approved);
  expect(decide({ request: { ...most, amountMinor: 1_438n }, rules: right }).verdict).toEqual(refused(2512));
  expect(decide({ request: { ...most, holdMinor: 1_000n }, rules: right }).verdict).toEqual(refused(2512));
  expect(decide({ request: { amountMinor: 1_437n }, rules: right }).verdict).toEqual(refused(2505));
});

test.each([
  ["in another currency", { currency: "EUR" }, 2119],
  ["of nothing", { amountMinor: 0n }, 2009],
  ["of a negative amount", { amountMinor: -1n }, 1024],
] as const)("a capture %s is refused", (_, changes, code) => {
  expect(decide({ request: changes }).verdict).toEqual(refused(code));
});

function decide(
  given: { order?: Order; request?: Partial<CaptureRequest>; rules?: Partial<Rules>; nowMs?: number } = {},
) {
  return decideCapture(
    given.order ?? order(hold()),
    request(given.request),
    given.nowMs ?? NOON,
    rules(given.rules),
  );
}

function request(changes: Partial<CaptureRequest> = {}): CaptureRequest {
  return {
    operation: "capture",
    orderId: "o",
    amountMinor: undefined,
    currency: undefined,
    holdMinor: undefined,
    ...changes,
  };
}
