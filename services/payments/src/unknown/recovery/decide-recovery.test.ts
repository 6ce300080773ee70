import type { Verdict } from "@holdfast/acquirer";
import { expect, test } from "vitest";
import { decideRecovery } from "./decide-recovery.ts";

/** An approval that the acquirer's fraud desk looks at. */
const LIMITS = { adoptWithinMs: 300_000, reverseUnseenAfterMs: 60_000 };
const DAY_MS = 86_400_000;

function decide(inquiry: Verdict, change: { ageMs?: number; inReview?: boolean; heard?: boolean } = {}) {
  const asked = { amountMinor: 1_250n, currency: "TRY", ageMs: 1_000, abandoned: false, ...change };
  return decideRecovery(asked, inquiry, LIMITS);
}

function approved(fraudReview?: "accepted" | "in_review" | "rejected", amountMinor = 1_250n): Verdict {
  const codes = { externalTransactionId: "x1", authCode: "a1", resultCode: "00", resultMessage: "" };
  return { kind: "approved", amountMinor, currency: "TRY", ...codes, ...(fraudReview && { fraudReview }) };
}

const WAITS = {
  action: "wait",
  cause: "in_review",
  review: { externalTransactionId: "x1", resultCode: "in_review" },
};

test("in review it waits, and shows that from the first inquiry on", () => {
  expect(decide(approved("in_review"))).toMatchObject(WAITS);
  expect(decide(approved("in_review"), { inReview: true })).toMatchObject(WAITS);
});

test("however long the review takes, it is waited for and its approval is adopted", () => {
  const old = { inReview: true, ageMs: 3 * DAY_MS };
  expect(decide(approved("in_review"), old)).toMatchObject(WAITS);
  expect(decide(approved("accepted"), old)).toMatchObject({ action: "conclude", to: "SUCCESS" });
});

test("an inquiry that says nothing of the review, or does not find the payment, does not end it", () => {
  const old = { inReview: true, ageMs: 3 * DAY_MS };
  expect(decide(approved(), old)).toMatchObject(WAITS);
  expect(decide({ kind: "not_found" }, old)).toEqual({ action: "wait", cause: "not_found" });
});

test("an approval that nobody has shown as being in review is reversed when it is found too late", () => {
  const late = { ageMs: LIMITS.adoptWithinMs + 1 };
  for (const review of [undefined, "accepted", "in_review"] as const)
    expect(decide(approved(review), late)).toEqual({ action: "reverse", cause: "approved_too_late" });
});

test("what the review refuses is reversed before it is FAILED, at any age", () => {
  const rejected = { action: "reverse", cause: "review_rejected" };
  expect(decide(approved("rejected"))).toEqual(rejected);
  expect(decide(approved("rejected"), { inReview: true, ageMs: 3 * DAY_MS })).toEqual(rejected);
});

test("what the acquirer has given back itself, or calls not taken, is FAILED", () => {
  const inReview = { inReview: true, ageMs: DAY_MS };
  expect(decide({ kind: "reversed" }, inReview)).toMatchObject({
    action: "conclude",
    to: "FAILED",
    result: { resultCode: "review_rejected", externalTransactionId: null, authCode: null },
  });
  const declined = { kind: "declined", resultCode: "failure", resultMessage: "" } as const;
  expect(decide(declined, inReview)).toMatchObject({ action: "conclude", to: "FAILED" });
});

test("an approval that was given and is not shown is waited for, and reversed when it is old", () => {
  const pending = { kind: "unknown", reason: "pending" } as const;
  const heard = { heard: true, ageMs: LIMITS.adoptWithinMs };
  const late = { heard: true, ageMs: LIMITS.adoptWithinMs + 1 };
  expect(decide(pending, heard)).toEqual({ action: "wait", cause: "pending" });
  expect(decide(pending, late)).toEqual({ action: "reverse", cause: "approved_too_late" });
  expect(decide(pending, { ageMs: DAY_MS })).toEqual({ action: "wait", cause: "pending" });
  expect(decide(pending, { ...late, inReview: true })).toEqual({ action: "wait", cause: "pending" });
  expect(decide({ kind: "unknown", reason: "timeout" }, late)).toEqual({ action: "wait", cause: "timeout" });
});

test("another amount is reversed, whatever the review says", () => {
  for (const review of ["in_review", "accepted", "rejected"] as const)
    expect(decide(approved(review, 600n), { inReview: true })).toEqual({
      action: "reverse",
      cause: "mismatch",
    });
});
