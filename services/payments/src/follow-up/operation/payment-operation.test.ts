import { describe, expect, test } from "vitest";
import { refundableMinor } from "../../payment/refundable-minor.ts";
import {
  decideCancel,
  decideCapture,
  decideExpiry,
  decideReservation,
  expiryAfterDecline,
  type DeclinedExpiry,
  type OperablePayment,
  expiryNotSent,
} from "./payment-operation.ts";

const authorized: OperablePayment = {
  transaction_type: "PRE_AUTHORIZATION",
  state: "SUCCESS",
  amount_minor: 10_000n,
  currency: "TRY",
  currency_exponent: 2,
  captured_minor: 0n,
  released_minor: 0n,
  reserved_minor: 0n,
  refunded_minor: 0n,
  charged_back_minor: 0n,
  operation_id: null,
  created_at: new Date("2026-11-20T10:00:00Z"),
};
const sale: OperablePayment = { ...authorized, transaction_type: "PAYMENT" };
const captured: OperablePayment = { ...authorized, state: "CAPTURED", captured_minor: 6_000n };
const busy = { ...authorized, operation_id: "o" };
const reserved = { ...authorized, reserved_minor: 1n };
const released = { ...authorized, released_minor: 4_000n };
const gone = { ...authorized, released_minor: 10_000n };

const go = (amountMinor: bigint) => ({ kind: "go", amountMinor });
const refused = (code: string, extra?: object) => ({ outcome: "problem", code, ...(extra && { extra }) });
const wrongState = (currentStatus: string) => refused("invalid_payment_state", { currentStatus });
const inProgress = refused("operation_in_progress");

describe("a capture", () => {
  test.each([
    ["takes all by default", authorized, {}, go(10_000n)],
    ["takes a part", authorized, { amount: "60.5", currency: "TRY" }, go(6_050n)],
    ["takes all that releases have left", released, {}, go(6_000n)],
    ["is of the payment's currency", authorized, { currency: "EUR" }, refused("currency_mismatch")],
    [
      "is at most what is authorized",
      authorized,
      { amount: "100.01" },
      refused("capture_amount_exceeds_authorized", { capturableAmount: 100 }),
    ],
    [
      "is at most what releases have left",
      released,
      { amount: "60.01" },
      refused("capture_amount_exceeds_authorized", { capturableAmount: 60 }),
    ],
    ["is not of a sale", sale, {}, wrongState("SUCCESS")],
    ["happens once", captured, {}, wrongState("CAPTURED")],
    ["is not of what was let go of", gone, {}, refused("already_refunded", { refundedAmount: 100 })],
    ["waits for another operation", busy, {}, inProgress],
    [
      "is not while a refund is active",
      reserved,
      {},
      refused("refund_pending", { pendingRefundAmount: 0.01 }),
    ],
    [
      "is not of a payment that failed",
      { ...authorized, state: "FAILED" as const },
      {},
      wrongState("FAILED"),
    ],
    [
      "is not of one still unknown",
      { ...authorized, state: "AUTHORIZING" as const },
      {},
      wrongState("ENROLLED"),
    ],
  ])("%s", (_case, payment, asked, expected) => {
    expect(decideCapture(payment, asked)).toEqual(expected);
  });

  test.each(["0", "-1", "1e-3", "1.234", "01"])("refuses the amount %s", (amount) => {
    expect(decideCapture(authorized, { amount })).toMatchObject({ code: "validation_failed" });
  });
});

describe("a cancellation", () => {
  test.each([
    ["lets go of an authorization whatever the day", authorized, false, go(10_000n)],
    ["lets go of what releases have left", released, false, go(6_000n)],
    ["voids a sale on its business day", sale, true, go(10_000n)],
    ["does not void it later", sale, false, wrongState("SUCCESS")],
    [
      "does not void it once something was refunded",
      { ...sale, refunded_minor: 1n },
      true,
      refused("already_refunded", { refundedAmount: 0.01 }),
    ],
    ["is not of what was captured", captured, true, wrongState("CAPTURED")],
    ["is not of what was let go of", gone, true, refused("already_refunded", { refundedAmount: 100 })],
    ["waits for another operation", busy, true, inProgress],
    [
      "is not while a refund is active",
      reserved,
      true,
      refused("refund_pending", { pendingRefundAmount: 0.01 }),
    ],
  ])("%s", (_case, payment, sameDay, expected) => {
    expect(decideCancel(payment, sameDay)).toEqual(expected);
  });
});

describe("an expiry", () => {
  test.each([
    ["lets go of an authorization", authorized, go(10_000n)],
    ["is not of a sale", sale, wrongState("SUCCESS")],
    ["is not of what was captured", captured, wrongState("CAPTURED")],
    ["is not of what was let go of", gone, refused("already_refunded", { refundedAmount: 100 })],
    ["waits for a capture", busy, inProgress],
    ["is not while a refund is active", reserved, refused("refund_pending", { pendingRefundAmount: 0.01 })],
  ])("%s", (_case, payment, expected) => {
    expect(decideExpiry(payment)).toEqual(expected);
  });
});

describe("a refund's reservation", () => {
  const ask = (payment: OperablePayment, amountMinor: bigint, currency = "TRY") =>
    decideReservation(payment, { amountMinor, currency, canRelease: true });

  test("is a refund of a sale and of what was captured, a release of an authorization", () => {
    expect(ask(sale, 10_000n)).toEqual({ kind: "refund" });
    expect(ask(captured, 6_000n)).toEqual({ kind: "refund" });
    expect(ask(authorized, 10_000n)).toEqual({ kind: "release" });
  });

  test("is no release where the bank has none: a smaller capture, or a cancellation, is the way there", () => {
    const asked = { amountMinor: 1_000n, currency: "TRY", canRelease: false };
    expect(decideReservation(authorized, asked)).toEqual(
      refused("payment_not_refundable", { currentStatus: "SUCCESS" }),
    );
    expect(decideReservation(captured, asked)).toEqual({ kind: "refund" });
    expect(decideReservation(sale, asked)).toEqual({ kind: "refund" });
  });

  test.each([
    ["of what was captured", captured, 6_001n, 60],
    [
      "after refunds and reservations",
      { ...sale, refunded_minor: 2_000n, reserved_minor: 3_000n },
      5_001n,
      50,
    ],
    ["after releases", released, 6_001n, 60],
    ["of nothing", gone, 1n, 0],
  ])("is at most what remains %s", (_case, payment, amountMinor, remainingRefundableAmount) => {
    expect(ask(payment, amountMinor)).toEqual(
      refused("refund_amount_exceeds_remaining", { remainingRefundableAmount }),
    );
  });

  test("does not count earlier releases against what was captured", () => {
    expect(refundableMinor({ ...captured, released_minor: 4_000n })).toBe(6_000n);
  });

  test("is refused in another state, another currency, and beside another operation", () => {
    expect(ask({ ...sale, state: "CANCELLED" }, 1n)).toEqual(
      refused("payment_not_refundable", { currentStatus: "CANCELLED" }),
    );
    expect(ask(sale, 1n, "EUR")).toEqual(refused("currency_mismatch"));
    expect(ask(busy, 1n)).toEqual(inProgress);
  });
});

test("an expiry that cannot be sent is tried again at most an hour later", () => {
  expect(expiryNotSent(1, 86_400_000)).toEqual({ againInMs: 86_400_000 });
  const minutes = [1, 2, 8, 11, 12, 5_000].map((times) => expiryNotSent(times).againInMs / 60_000);
  expect(minutes).toEqual([1 / 12, 1 / 6, 640 / 60, 60, 60, 60]);
});

describe("an expiry that the bank declines", () => {
  const DAY_MS = 86_400_000;
  const after = (of: Partial<DeclinedExpiry>) =>
    expiryAfterDecline({
      declines: 1,
      hold: "standing",
      captureMayArrive: false,
      isDayOver: true,
      isTooLate: true,
      ...of,
    });

  test("as too late, of a hold that stands, ends at once: the hold lapses", () => {
    expect(after({})).toEqual({ end: "lapses" });
  });

  test.each<[string, Partial<DeclinedExpiry>]>([
    ["on the day itself", { isDayOver: false }],
    ["for another reason than its age", { isTooLate: false }],
    ["of a hold that is not shown", { hold: "gone" }],
    ["of what was captured", { hold: "captured" }],
    ["without an answer about it", { hold: "unknown" }],
    ["while a capture may arrive", { captureMayArrive: true }],
  ])("is tried again a day later, and then two: %s", (_case, of) => {
    expect(after(of)).toEqual({ againInMs: DAY_MS });
    expect(after({ ...of, declines: 2 })).toEqual({ againInMs: 2 * DAY_MS });
  });

  test.each<[string, Partial<DeclinedExpiry>, object]>([
    ["on the day itself", { isDayOver: false }, { end: "gone" }],
    ["of a hold that is not shown", { hold: "gone" }, { end: "gone" }],
    ["for another reason, of a hold that stands", { isTooLate: false }, { end: "lapses" }],
    ["of what was captured", { hold: "captured" }, { againInMs: 4 * DAY_MS }],
    ["without an answer about it", { hold: "unknown" }, { againInMs: 4 * DAY_MS }],
    ["while a capture may arrive", { captureMayArrive: true }, { againInMs: 4 * DAY_MS }],
  ])("for the third time ends unless it may be captured: %s", (_case, of, decision) => {
    expect(after({ ...of, declines: 3 })).toEqual(decision);
    expect(after({ ...of, declines: 9 })).toEqual(decision);
  });
});
