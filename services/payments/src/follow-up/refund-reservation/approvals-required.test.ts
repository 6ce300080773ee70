import { amountsSetting } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { approvalsRequired } from "./approvals-required.ts";

const NONE = { reserved_minor: 0n, refunded_minor: 0n, released_minor: 0n };

test("one person is enough unless amounts are configured, and then up to them, in their currency", () => {
  const twoAbove = amountsSetting().parse("TRY:1000.00, EUR:200,JPY:0");
  const required = (reserved_minor: bigint, currency: string) =>
    approvalsRequired({ ...NONE, reserved_minor, currency }, twoAbove);
  expect([required(100_000n, "TRY"), required(100_001n, "TRY")]).toEqual([1, 2]);
  expect([required(20_000n, "EUR"), required(20_001n, "EUR"), required(1n, "JPY")]).toEqual([1, 2, 2]);
  expect(required(99_999_999n, "USD")).toBe(1);
  expect(approvalsRequired({ ...NONE, reserved_minor: 99_999_999n, currency: "TRY" }, new Map())).toBe(1);
});

test.each(["reserved_minor", "refunded_minor", "released_minor"] as const)(
  "the payment's other refunds count beside it: %s",
  (of) => {
    const payment = { ...NONE, reserved_minor: 50_000n, currency: "TRY" };
    const twoAbove = new Map([["TRY", 100_000n]]);
    expect(approvalsRequired({ ...payment, [of]: payment[of] + 50_000n }, twoAbove)).toBe(1);
    expect(approvalsRequired({ ...payment, [of]: payment[of] + 50_001n }, twoAbove)).toBe(2);
  },
);
