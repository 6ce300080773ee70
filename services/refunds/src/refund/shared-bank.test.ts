import { expect, test } from "vitest";
import { NOT_SENT, type BankStep, type RefundBank, type RefundToSend } from "./refund-bank.ts";
import { permitsByAccount, shareBank } from "./shared-bank.ts";

const UNKNOWN: BankStep = { answer: { kind: "unknown", cause: "timeout" } };

/** A bank that answers when the test says so. */
function setUp() {
  const calls: { refund: string; answer: (step: BankStep) => void }[] = [];
  const call = ({ refund_id }: RefundToSend) =>
    new Promise<never>((resolve) => calls.push({ refund: refund_id, answer: resolve as never }));
  const bank: RefundBank = { carryOut: call, inquire: call };
  return { calls, bank: shareBank(bank, permitsByAccount({ max: 4, ofOneMax: 1 })) };
}

const refundOf = (
  merchant_id: string,
  refund_id: string,
  account_id: string | null = null,
): RefundToSend => ({
  account_id,
  refund_id,
  merchant_id,
  payment_id: "payment",
  kind: "refund",
  amount_minor: 100n,
  currency: "TRY",
  traceparent: null,
});
const soon = (waitMs = 60_000) => new Date(Date.now() + waitMs);

test("a merchant's calls beyond its share wait for its own, and another merchant's do not", async () => {
  const { calls, bank } = setUp();
  const first = bank.carryOut(refundOf("noisy", "first"), false, soon());
  const second = bank.inquire(refundOf("noisy", "second"), soon());
  void bank.carryOut(refundOf("other", "other"), false, soon());
  await expect.poll(() => calls.map(({ refund }) => refund)).toEqual(["first", "other"]);
  calls[0]!.answer(UNKNOWN);
  expect(await first).toEqual(UNKNOWN);
  await expect.poll(() => calls.map(({ refund }) => refund)).toEqual(["first", "other", "second"]);
  calls[2]!.answer(UNKNOWN);
  expect(await second).toEqual(UNKNOWN);
});

test("a call that gets no place within its time was certainly not sent", async () => {
  const { calls, bank } = setUp();
  void bank.carryOut(refundOf("noisy", "first"), false, soon());
  await expect.poll(() => calls).toHaveLength(1);
  expect(await bank.carryOut(refundOf("noisy", "late"), false, soon(0))).toEqual({
    answer: NOT_SENT,
  });
  expect(await bank.inquire(refundOf("noisy", "late"), soon(0))).toEqual(NOT_SENT);
  expect(calls).toHaveLength(1);
});

test("a call to an account whose bank hangs takes no place of another account's, not even of the same merchant's", async () => {
  const { calls, bank } = setUp();
  const hanging = bank.carryOut(refundOf("merchant", "one", "frozen"), false, soon());
  const other = bank.carryOut(refundOf("merchant", "two", "other"), false, soon());
  expect(await bank.carryOut(refundOf("merchant", "three", "frozen"), false, soon(0))).toEqual({
    answer: NOT_SENT,
  });
  await expect.poll(() => calls.map(({ refund }) => refund)).toEqual(["one", "two"]);
  for (const { answer } of calls) answer(UNKNOWN);
  expect(await Promise.all([hanging, other])).toEqual([UNKNOWN, UNKNOWN]);
});
