import { expect, test } from "vitest";

import type { Bench } from "./bench.ts";

/** Tests plain outcomes, and the inquiries about them. */
export function describeApprovals(bench: () => Bench): void {
  test.for(["authorize", "sale"] as const)("an approved %s has its data, and is found", async (operation) => {
    const { acquirer, calls } = bench();
    const request = calls.card({ amountMinor: 12_345n });
    const outcome = await acquirer[operation](request);
    expect(outcome).toEqual({
      kind: "approved",
      amountMinor: 12_345n,
      currency: "EUR",
      externalTransactionId: expect.stringMatching(/./),
      authCode: expect.stringMatching(/./),
      resultCode: expect.stringMatching(/./),
      resultMessage: expect.any(String),
    });
    const found = await calls.verdict(acquirer, request);
    expect(found).toEqual(outcome);
  });

  test.for(["authorize", "sale"] as const)("a declined %s says why, and is found", async (operation) => {
    const { acquirer, calls, setup } = bench();
    const request = calls.card({ card: setup.cards.declined });
    const outcome = await acquirer[operation](request);
    expect(outcome).toMatchObject({ kind: "declined", resultCode: expect.stringMatching(/./) });
    // The class is of an answer: a record has the codes alone.
    expect(await calls.verdict(acquirer, request)).toEqual({ ...outcome, declineClass: undefined });
  });

  test("a reference that was never used is not found", async () => {
    const { acquirer, calls } = bench();
    expect(await calls.verdict(acquirer, calls.card())).toEqual({ kind: "not_found" });
  });
}
