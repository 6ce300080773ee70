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
    result: approved,
  });
});

test("a decline is FAILED with the acquirer's code and no authorization code", () => {
  expect(
    decideAuthorization({ kind: "declined", resultCode: "51", resultMessage: "Insufficient funds" }),
  ).toEqual({
    to: "FAILED",
    cause: "declined",
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
