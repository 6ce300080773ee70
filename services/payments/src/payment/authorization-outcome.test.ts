import { expect, test } from "vitest";
import { decideAuthorization } from "./authorization-outcome.ts";

const amount = { amountMinor: 1250n, currency: "TRY" };

test("an approval is SUCCESS with the acquirer's ids", () => {
  const approved = {
    externalTransactionId: "x1",
    authCode: "a1",
    resultCode: "00",
    resultMessage: "Approved",
  };
  expect(decideAuthorization({ kind: "approved", ...amount, ...approved })).toEqual({
    to: "SUCCESS",
    cause: "approved",
    answer: "approved",
    result: approved,
  });
});

test("a decline has its class where the acquirer tells", () => {
  const declined = { kind: "declined", resultCode: "51", resultMessage: "", declineClass: "limit" } as const;
  expect(decideAuthorization(declined)).toMatchObject({ to: "FAILED", result: { declineClass: "limit" } });
});

test("an approval in review is no SUCCESS, and shows that it is in review and no authorization code", () => {
  const approved = { externalTransactionId: "x1", authCode: "a1", resultCode: "00", resultMessage: "" };
  const review = decideAuthorization({ kind: "approved", ...amount, ...approved, fraudReview: "in_review" });
  expect(review).toMatchObject({
    to: "UNKNOWN",
    cause: "in_review",
    review: { externalTransactionId: "x1", resultCode: "in_review" },
  });
  expect(review).not.toHaveProperty("review.authCode");
});

test("an approval that the review refuses is reversed, and one that it accepts is SUCCESS", () => {
  const approved = { externalTransactionId: "x1", authCode: "a1", resultCode: "00", resultMessage: "" };
  const decided = (fraudReview: "accepted" | "rejected") =>
    decideAuthorization({ kind: "approved", ...amount, ...approved, fraudReview });
  expect(decided("rejected")).toMatchObject({
    to: "REVERSING",
    cause: "review_rejected",
    heard: { externalTransactionId: "x1" },
  });
  expect(decided("accepted")).toMatchObject({ to: "SUCCESS" });
});

test("a decline is FAILED with the acquirer's code and no authorization code", () => {
  expect(
    decideAuthorization({ kind: "declined", resultCode: "51", resultMessage: "Insufficient funds" }),
  ).toEqual({
    to: "FAILED",
    cause: "declined",
    answer: "declined",
    result: {
      externalTransactionId: null,
      authCode: null,
      resultCode: "51",
      resultMessage: "Insufficient funds",
    },
  });
});

test("a call that provably never left is FAILED, and says why", () => {
  expect(decideAuthorization({ kind: "not_sent" })).toMatchObject({
    to: "FAILED",
    result: { resultCode: "acquirer_unavailable" },
  });
});

test.each(["timeout", "connection_lost", "invalid_answer"] as const)(
  "%s decides nothing: it is neither a decline nor a success",
  (reason) => {
    expect(decideAuthorization({ kind: "unknown", reason })).toEqual({ to: "UNKNOWN", cause: reason });
  },
);

test("an answer about another amount is reversed, whatever the acquirer says later", () => {
  expect(decideAuthorization({ kind: "unknown", reason: "mismatch" })).toEqual({
    to: "REVERSING",
    cause: "mismatch",
  });
});

test("after another account's decline, one that judged nothing leaves that decline, under its own answer", () => {
  const before = { kind: "declined", resultCode: "05", resultMessage: "", declineClass: "soft" } as const;
  const result = { resultCode: "05", declineClass: "soft" };
  for (const kind of ["not_sent", "expired"] as const)
    expect(decideAuthorization({ kind }, before)).toMatchObject({ to: "FAILED", answer: kind, result });
  const second = { kind: "declined", resultCode: "51", resultMessage: "" } as const;
  expect(decideAuthorization(second, before)).toMatchObject({ to: "FAILED", result: { resultCode: "51" } });
  expect(decideAuthorization({ kind: "unknown", reason: "timeout" }, before)).toEqual({
    to: "UNKNOWN",
    cause: "timeout",
  });
});
