import { expect, test } from "vitest";
import { mayBeReversed, standsBesideRefund } from "./reversal.ts";

const HORIZON_MS = 900_000;
const settled = { settled_at: new Date(), last_sent_ms_ago: HORIZON_MS + 1 };

test("a refund that is not ours stands beside a settled payment once nothing of ours can arrive", () => {
  expect(standsBesideRefund(settled, "refund_mismatch", HORIZON_MS)).toBe(true);
  const unsent = { ...settled, last_sent_ms_ago: null };
  expect(standsBesideRefund(unsent, "refund_mismatch", HORIZON_MS)).toBe(true);
});

test.each([
  ["ours may still arrive", { last_sent_ms_ago: HORIZON_MS }, "refund_mismatch"],
  ["the day has not settled", { settled_at: null }, "refund_mismatch"],
  ["the bank has said something else", {}, "refund_timeout"],
  ["the bank was not asked", {}, null],
])("it does not while %s", (_, change, lastInquiry) => {
  expect(standsBesideRefund({ ...settled, ...change }, lastInquiry, HORIZON_MS)).toBe(false);
});

const open = { kind: "reverse", answered_at: null, outcome: null, sent_ms_ago: HORIZON_MS } as const;

test.each([
  ["one that was not answered", [open], true],
  ["one before another that was", [open, { ...open, answered_at: new Date(), outcome: "settled" }], true],
  ["one that was answered", [{ ...open, answered_at: new Date(), outcome: "settled" }], false],
  ["one that did not leave", [{ ...open, outcome: "not_sent" }], false],
  ["one that can no longer arrive", [{ ...open, sent_ms_ago: HORIZON_MS + 1 }], false],
  ["a refund", [{ ...open, kind: "refund" }], false],
] as const)("a payment may still be reversed by %s: %#", (_, calls, expected) => {
  expect(mayBeReversed(calls, HORIZON_MS)).toBe(expected);
});
