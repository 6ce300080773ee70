import { describe, expect, test } from "vitest";

import { judge, type Attempt } from "@holdfast/acquirer";
import { readJson, standingOf } from "@holdfast/acquirer/kit";

import { IYZICO_CAPABILITIES } from "./iyzico-acquirer.ts";
import { asCancellable, movementsOf, readDetails, takenUnder } from "./order-details.ts";
import { detailsAnswer, reportedPayment } from "./test/scripted-iyzico.ts";

const ORDER = "0197f3c0a1b27def8899aabbccddeeff";
const REFERENCE = "0197f3c0-a1b2-7def-8899-aabbccddeeff";
const reported = (more: Record<string, unknown> = {}) => reportedPayment(ORDER, REFERENCE, more);

/** The inquiry's answer, as it comes over the wire. */
function detailsOf(...payments: Record<string, unknown>[]) {
  const json = readJson(Buffer.from(JSON.stringify(detailsAnswer(...payments))));
  return readDetails(json as Record<string, unknown>, ORDER);
}

function inquiryOf(...payments: Record<string, unknown>[]) {
  const details = detailsOf(...payments);
  return details.kind === "payments" ? movementsOf(details.payments) : details;
}

function verdictOn(attempt: Partial<Attempt>, ...payments: Record<string, unknown>[]) {
  const sentAt = new Date("2026-03-10T09:00:00Z");
  const sale = { reference: REFERENCE, kind: "sale", amountMinor: 10_000n, currency: "TRY", sentAt } as const;
  return judge({ ...sale, ...attempt }, inquiryOf(...payments), IYZICO_CAPABILITIES);
}

const cancelled = {
  refundId: 9_001,
  cancelConversationId: "ref-cancel",
  refundPrice: 100,
  refundStatus: 1,
  createdDate: "2026-03-10T12:05:00.000+03:00",
  currencyCode: "TRY",
};
const refunded = (refundConversationId: string | null, refundPrice: number | string, more = {}) => ({
  refundTxId: "8001",
  refundConversationId,
  refundPrice,
  refundStatus: 1,
  isAfterSettlement: false,
  currencyCode: "TRY",
  ...more,
});
const refundedBy = (...refunds: object[]) => ({ itemTransactions: [{ refunds }] });

describe("a payment", () => {
  test("that was taken is a sale with our reference", () => {
    expect(inquiryOf(reported())).toEqual({
      kind: "found",
      movements: [
        {
          kind: "sale",
          state: "approved",
          amountMinor: 10_000n,
          currency: "TRY",
          ownReference: REFERENCE,
          externalTransactionId: "25149157",
          authCode: "301221",
          hostReference: "mock00001iyzihostrfn",
          resultCode: "success",
          resultMessage: "",
          fraudReview: "accepted",
        },
      ],
    });
  });

  test("that is held is an authorization, and one that was captured is both", () => {
    const kinds = (phase: string, more = {}) => {
      const inquiry = inquiryOf(reported({ phase, ...more }));
      return inquiry.kind === "found"
        ? inquiry.movements.map(({ kind, state, amountMinor }) => [kind, state, amountMinor])
        : inquiry;
    };
    expect(kinds("PRE_AUTH")).toEqual([["authorize", "approved", 10_000n]]);
    expect(kinds("POST_AUTH", { paidPrice: "60.00" })).toEqual([
      ["authorize", "approved", 10_000n],
      ["capture", "approved", 6_000n],
    ]);
    expect(kinds("POST_AUTH", { cancels: [cancelled] })).toEqual([
      ["authorize", "voided", 10_000n],
      ["capture", "voided", 10_000n],
      ["void", "approved", 10_000n],
    ]);
  });

  test.each([true, "true", 1])("with 3-D Secure (%o) had an authenticated cardholder", (threeDS) => {
    expect(verdictOn({}, reported({ threeDS }))).toMatchObject({ authentication: { transStatus: "Y" } });
    expect(verdictOn({}, reported({ threeDS: false }))).not.toHaveProperty("authentication");
  });

  test("is recognised by our reference, whatever the bank's clock says", () => {
    for (const createdDate of ["2020-01-01T00:00:00Z", "2026-03-10 12:00:00", "yesterday", null])
      expect(verdictOn({}, reported({ createdDate }))).toMatchObject({ kind: "approved" });
  });

  test("that failed is declined", () => {
    expect(verdictOn({}, reported({ paymentStatus: 0 }))).toMatchObject({ kind: "declined" });
    expect(inquiryOf(reported({ paymentStatus: 0, phase: "PRE_AUTH" }))).toMatchObject({
      movements: [{ kind: "authorize", state: "declined" }],
    });
    expect(inquiryOf(reported({ paymentStatus: 0, phase: null }))).toMatchObject({
      movements: [{ kind: "sale", state: "declined" }],
    });
    expect(verdictOn({}, reported({ paymentStatus: 0, fraudStatus: -1 }))).toMatchObject({
      kind: "declined",
      resultMessage: "refused by fraud review",
    });
  });

  test.each([
    [1, "accepted"],
    [0, "in_review"],
    [-1, "rejected"],
    [7, "in_review"],
  ])("with the fraud status %i stands, and its review is %s", (fraudStatus, fraudReview) => {
    expect(verdictOn({}, reported({ fraudStatus }))).toMatchObject({ kind: "approved", fraudReview });
  });

  test("without a fraud status was not reviewed", () => {
    expect(verdictOn({}, reported({ fraudStatus: null }))).not.toHaveProperty("fraudReview");
  });

  test("that the review refused and a cancel undid is reversed", () => {
    const cancels = [{ refundPrice: 100, currencyCode: "TRY", refundStatus: 1 }];
    expect(verdictOn({}, reported({ fraudStatus: -1, cancels }))).toEqual({ kind: "reversed" });
  });

  test("that failed and cannot be told to be ours decides nothing", () => {
    const bare = { paymentId: "1", paymentConversationId: ORDER, paymentStatus: 0 };
    expect(verdictOn({}, bare)).toEqual({ kind: "not_found" });
  });

  test.each([2, 3])(
    "with the status %i of a 3-D Secure that has not ended decides nothing",
    (paymentStatus) => {
      expect(verdictOn({}, reported({ paymentStatus }))).toEqual({ kind: "not_found" });
      const bare = { paymentId: "1", paymentConversationId: ORDER, paymentStatus };
      expect(verdictOn({}, bare)).toEqual({ kind: "not_found" });
    },
  );

  test("that was taken counts before one that failed, and two of them are for people to look at", () => {
    expect(verdictOn({}, reported(), reported({ paymentId: "2", paymentStatus: 0 }))).toMatchObject({
      kind: "approved",
    });
    expect(verdictOn({}, reported(), reported({ paymentId: "2" }))).toEqual({
      kind: "unknown",
      reason: "mismatch",
    });
  });

  test("that was cancelled is reversed, and the cancel is known by its own reference", () => {
    const payment = reported({ cancels: [cancelled] });
    expect(verdictOn({}, payment)).toEqual({ kind: "reversed" });
    const cancel = { reference: "ref-cancel", kind: "void", targetTransactionId: "25149157" } as const;
    expect(verdictOn(cancel, payment)).toMatchObject({
      kind: "approved",
      externalTransactionId: "9001",
    });
  });

  test("whose cancel has another status than 1 stands, and the cancel is under way", () => {
    const payment = reported({ cancels: [{ ...cancelled, refundStatus: 2 }] });
    expect(verdictOn({}, payment)).toMatchObject({ kind: "approved" });
    expect(verdictOn({ reference: "ref-cancel", kind: "void" }, payment)).toEqual({
      kind: "unknown",
      reason: "pending",
    });
  });

  test("that was captured is a capture that was done, and one that is held is not", () => {
    const capture = { reference: "ref-capture", kind: "capture" } as const;
    expect(verdictOn(capture, reported({ phase: "POST_AUTH" }))).toMatchObject({ kind: "approved" });
    expect(verdictOn(capture, reported({ phase: "PRE_AUTH" }))).toEqual({ kind: "not_found" });
  });
});

describe("a refund", () => {
  const attempt = { reference: "ref-1", kind: "refund" } as const;

  test("is known by our reference among others of the same amount", () => {
    const payment = reported(
      refundedBy(refunded("ref-1", "25.50"), refunded("ref-2", "25.50"), refunded(null, "25.50")),
    );
    expect(verdictOn(attempt, payment)).toMatchObject({
      kind: "approved",
      amountMinor: 2_550n,
      externalTransactionId: "8001",
    });
    expect(verdictOn({ ...attempt, reference: "ref-3" }, payment)).toEqual({ kind: "not_found" });
  });

  test("that is spread over items is one, of their sum", () => {
    const payment = reported({
      itemTransactions: [
        { refunds: [refunded("ref-1", "10")] },
        { refunds: [refunded("ref-1", "5.25"), refunded("ref-2", "1")] },
        {},
      ],
    });
    expect(verdictOn(attempt, payment)).toMatchObject({ kind: "approved", amountMinor: 1_525n });
  });

  test("that was carried out twice is one of twice the amount", () => {
    const payment = reported(refundedBy(refunded("ref-1", "25"), refunded("ref-1", "25")));
    expect(verdictOn(attempt, payment)).toMatchObject({ kind: "approved", amountMinor: 5_000n });
  });

  test("of which a part has another status than 1 is under way", () => {
    const payment = reported(
      refundedBy(refunded("ref-1", "10"), refunded("ref-1", "5", { refundStatus: 0 })),
    );
    expect(verdictOn(attempt, payment)).toEqual({ kind: "unknown", reason: "pending" });
  });

  test("that nobody named is a movement of its own, each", () => {
    const inquiry = inquiryOf(
      reported(
        refundedBy(
          refunded(null, "1", { refundTxId: "1" }),
          refunded("", "2", { refundTxId: "2" }),
          refunded(null, "3", { refundTxId: null }),
          refunded(null, "4", { refundTxId: null }),
        ),
      ),
    );
    expect(inquiry).toMatchObject({
      movements: [
        { kind: "sale" },
        { amountMinor: 100n },
        { amountMinor: 200n },
        { amountMinor: 300n },
        { amountMinor: 400n },
      ],
    });
  });
});

describe("a reversal", () => {
  const businessDay = { timeZone: "Europe/Istanbul", cutOff: "23:00" };
  const sentAt = new Date("2026-03-10T12:00:00Z");
  const sameDay = new Date("2026-03-10T19:59:59.999Z");
  const nextDay = new Date("2026-03-10T20:00:00Z");
  const refunds = [refunded("ref-1", 1)];

  /** The payment that a reversal would cancel. */
  function standing(now: Date, ...payments: Record<string, unknown>[]) {
    const details = detailsOf(...payments);
    if (details.kind !== "payments") throw new Error("the test's answer is invalid");
    const taken = takenUnder(details.payments, REFERENCE);
    return standingOf(taken.map((payment) => asCancellable(payment, sentAt, { now, businessDay })));
  }

  test.each([
    ["a payment that stands", sameDay, [reported()], "live"],
    ["one that the fraud desk looks at", sameDay, [reported({ fraudStatus: 0 })], "live"],
    ["one that the fraud desk refused", sameDay, [reported({ fraudStatus: -1 })], "live"],
    ["a sale of a day that has ended", nextDay, [reported()], "settled"],
    ["a capture of a day that has ended", nextDay, [reported({ phase: "POST_AUTH" })], "settled"],
    ["a hold of a day that has ended", nextDay, [reported({ phase: "PRE_AUTH" })], "live"],
    ["one that is partly refunded", sameDay, [reported({ itemTransactions: [{ refunds }] })], "settled"],
    ["nothing", sameDay, [], "none"],
    ["failures", sameDay, [reported({ paymentStatus: 0 }), reported({ paymentStatus: 3 })], "none"],
    ["another reference", sameDay, [reportedPayment(ORDER, "other-ref")], "none"],
    ["one that was cancelled before", sameDay, [reported({ cancels: [cancelled] })], "voided"],
    ["one that was cancelled on its day", nextDay, [reported({ cancels: [cancelled] })], "voided"],
    ["two that stand", sameDay, [reported(), reported({ paymentId: "2" })], "several"],
  ])("of %s at %o", (_, now, payments, kind) => {
    expect(standing(now, ...payments)).toMatchObject({ kind });
  });

  test("is about the one of two that was not cancelled", () => {
    const payments = [reported({ cancels: [cancelled] }), reported({ paymentId: "2" })];
    expect(standing(sameDay, ...payments)).toMatchObject({
      kind: "live",
      success: { externalTransactionId: "2", amountMinor: 10_000n },
    });
  });
});
