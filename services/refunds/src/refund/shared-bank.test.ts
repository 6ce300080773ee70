import type { AcquirerOutcome, FollowUpRequest } from "@holdfast/acquirer";
import { createSharedPlaces } from "@holdfast/service-runtime";
import { expect, test } from "vitest";
import { shareBank, type RefundBank } from "./shared-bank.ts";

const UNKNOWN: AcquirerOutcome = { kind: "unknown", reason: "timeout" };

/** A bank that answers when the test says so. */
function setUp() {
  const calls: { reference: string; answer: (outcome: AcquirerOutcome) => void }[] = [];
  const call = ({ reference }: { reference: string }) =>
    new Promise<never>((resolve) => calls.push({ reference, answer: resolve as never }));
  const bank: RefundBank = { refund: call, release: call, inquire: call };
  const bankOf = shareBank(bank, createSharedPlaces({ max: 4, ofOneMax: 1 }));
  return { calls, bankOf };
}

const request = (reference: string, waitMs = 60_000): FollowUpRequest => ({
  reference,
  parentReference: "parent",
  amountMinor: 100n,
  currency: "TRY",
  waitUntil: new Date(Date.now() + waitMs),
});

test("a merchant's calls beyond its share wait for its own, and another merchant's do not", async () => {
  const { calls, bankOf } = setUp();
  const first = bankOf("noisy").refund(request("first"));
  const second = bankOf("noisy").inquire(request("second"));
  void bankOf("other").release(request("other"));
  await expect.poll(() => calls.map(({ reference }) => reference)).toEqual(["first", "other"]);
  calls[0]!.answer(UNKNOWN);
  expect(await first).toEqual(UNKNOWN);
  await expect.poll(() => calls.map(({ reference }) => reference)).toEqual(["first", "other", "second"]);
  calls[2]!.answer(UNKNOWN);
  expect(await second).toEqual(UNKNOWN);
});

test("a call that gets no connection within its time was certainly not sent", async () => {
  const { calls, bankOf } = setUp();
  void bankOf("noisy").refund(request("first"));
  await expect.poll(() => calls).toHaveLength(1);
  expect(await bankOf("noisy").refund(request("late", 0))).toEqual({ kind: "not_sent" });
  expect(calls).toHaveLength(1);
});
