import { expect, test } from "vitest";
import { judgePayout, type PayoutSides } from "./judge-payout.ts";

const sides = (change: Partial<PayoutSides>): PayoutSides => ({
  lines: 3,
  expected: 9_500n,
  payouts: 1,
  paid: 9_500n,
  isOverdue: false,
  ...change,
});
const none = { payouts: 0, paid: 0n };

test.each<[string, Partial<PayoutSides>, string | null, bigint, (bigint | null)[]?]>([
  ["as much as its lines", {}, "MATCHED", 0n],
  ["short", { paid: 9_000n }, "PAYOUT_DIFFERS", 500n, [9_500n, 9_000n]],
  ["more than its lines", { paid: 9_501n }, "PAYOUT_DIFFERS", 1n],
  ["taken instead of paid", { paid: -9_500n }, "PAYOUT_DIFFERS", 19_000n],
  ["taken, as its lines say", { expected: -100n, paid: -100n }, "MATCHED", 0n],
  ["not there yet", none, null, 0n],
  ["not there in time", { ...none, isOverdue: true }, "PAYOUT_MISSING", 9_500n, [9_500n, null]],
  ["not there, of lines that come to nothing", { ...none, expected: 0n, isOverdue: true }, "MATCHED", 0n],
  ["there, and its lines not yet", { lines: 0, expected: 0n }, null, 0n],
  [
    "there, and no line ever",
    { lines: 0, expected: 0n, isOverdue: true },
    "PAYOUT_DIFFERS",
    9_500n,
    [null, 9_500n],
  ],
])("a payout that is %s", (_, change, verdict, stakeMinor, [oursMinor, theirsMinor] = []) => {
  const judged = judgePayout(sides(change));
  expect(judged).toMatchObject({ verdict, stakeMinor });
  if (oursMinor !== undefined) expect(judged).toMatchObject({ oursMinor, theirsMinor });
  expect(judged.detail).not.toContain("minor");
});
