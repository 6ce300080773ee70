import { expect, test } from "vitest";
import { failuresAreProven } from "../payments/failures-are-proven.ts";
import type { Ledgers } from "../ledgers.ts";

/** A payment that is FAILED because the bank called it too late, and that has no line in the bank's ledger. */
function expired({ from, bank = [] }: { from: string; bank?: Ledgers["bank"] }): Ledgers {
  const paymentId = "11111111-1111-4111-8111-111111111111";
  return {
    payments: [{ paymentId, state: "FAILED", resultCode: "expired_request" }],
    paymentHistory: [{ paymentId, version: 2, from, to: "FAILED", cause: "expired" }],
    bank,
  } as unknown as Ledgers;
}

test("an enrolment that was too late moves no money, an authorization might", () => {
  expect(failuresAreProven(expired({ from: "ENROLLING" }))).toEqual([]);
  expect(failuresAreProven(expired({ from: "AUTHORIZING" }))).toMatchObject([
    { what: "is FAILED (expired_request), unknown to the bank, and no reversal was acknowledged" },
  ]);
});

test("a buyer who failed the challenge is not charged", () => {
  const run = expired({ from: "REVERSING" });
  run.payments[0]!.isUnauthenticated = true;
  expect(failuresAreProven(run)).toEqual([]);
});

test("what the bank has charged is found, however the payment ended", () => {
  const bank = [
    {
      operation: "sale",
      reference: "11111111-1111-4111-8111-111111111111",
      outcome: "approved",
      amountMinor: 100n,
      currency: "TRY",
    },
  ] as unknown as Ledgers["bank"];
  expect(failuresAreProven(expired({ from: "ENROLLING", bank }))).toMatchObject([
    { what: expect.stringContaining("approved at the bank, and never reversed") },
  ]);
});
