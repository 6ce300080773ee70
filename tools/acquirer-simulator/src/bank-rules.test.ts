import * as fc from "fast-check";
import { expect, test } from "vitest";

import { type LedgerEntry } from "./ledger-entry.ts";
import { Bank } from "./bank.ts";
import { decideOperation, decideReversal } from "./bank-rules.ts";
import type { OperationRequest } from "./operation-request.ts";

const followUps = ["capture", "cancel", "release", "refund"] as const;

const step = fc.record({
  operation: fc.constantFrom(...followUps, ...followUps, "reverse" as const),
  amountMinor: fc.bigInt({ min: 1n, max: 120n }),
  currency: fc.constantFrom("EUR", "EUR", "EUR", "USD"),
});

test("no order of follow-ups and reversals moves more than was authorized", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("authorize", "sale"),
      fc.array(step, { maxLength: 12 }),
      (operation, steps) => {
        const bank = new Bank();
        const parent = request({
          operation: operation === "sale" ? "sale" : "authorize",
          reference: "parent",
        });
        bank.apply(entry(parent));
        const captures: bigint[] = [];
        steps.forEach((each, index) => {
          const isReversal = each.operation === "reverse";
          const next = request({ ...each, reference: isReversal ? "parent" : `step-${index}` });
          if (isReversal) next.amountMinor = 100n;
          if (!isReversal) next.parentReference = "parent";
          const before = snapshot(bank);
          if (!isApproved(bank, next)) return;
          bank.apply(entry(next));
          if (next.operation === "capture") captures.push(next.amountMinor);
          expect(next.currency === "EUR" || isReversal).toBe(true);
          expect(!before.isEnded || isReversal).toBe(true);
        });
        const end = snapshot(bank);
        expect(end.account.capturedMinor + end.account.releasedMinor).toBeLessThanOrEqual(100n);
        expect(end.account.refundedMinor).toBeLessThanOrEqual(end.account.capturedMinor);
        expect(captures.length).toBeLessThanOrEqual(1);
        const isPaid = operation === "authorize" && end.account.capturedMinor > 0n;
        expect(end.isEnded && (isPaid || end.account.refundedMinor > 0n)).toBe(false);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a tombstone of one amount refuses another, and answers its own repeat", () => {
  const bank = new Bank();
  bank.apply(entry(request({ operation: "reverse", reference: "r" })));
  const late = request({ operation: "authorize", reference: "r", amountMinor: 55n });
  expect(decideOperation(late, bank.account("r"), undefined)).toBe("reversed");
  bank.apply({ ...entry(late), outcome: "declined", resultCode: "reversed" });
  const repeat = request({ operation: "reverse", reference: "r" });
  expect(decideReversal(repeat, bank.account("r"))).toEqual({ kind: "reverse" });
});

test.each([
  ["authorize", "refund", {}, "12"],
  ["authorize", "capture", { amountMinor: 101n }, "13"],
  ["authorize", "capture", { currency: "USD" }, "13"],
  ["authorize", "capture", { parentReference: "another" }, "25"],
  ["authorize", "cancel", { amountMinor: 99n }, "13"],
  ["sale", "capture", {}, "12"],
  ["sale", "release", {}, "12"],
  ["sale", "refund", { amountMinor: 101n }, "13"],
] as const)("of an approved %s a %s with %o is declined with %s", (original, operation, overrides, code) => {
  const bank = new Bank();
  bank.apply(entry(request({ operation: original, reference: "parent" })));
  const next = request({ operation, reference: "next", parentReference: "parent", ...overrides });
  expect(decideOperation(next, undefined, bank.account(next.parentReference ?? ""))).toBe(code);
});

test("a follow-up cannot be reversed, nor be the parent of another", () => {
  const bank = new Bank();
  bank.apply(entry(request({ operation: "sale", reference: "sale" })));
  bank.apply(entry(request({ operation: "refund", reference: "refund", parentReference: "sale" })));
  const reversal = request({ operation: "reverse", reference: "refund" });
  expect(decideReversal(reversal, bank.account("refund"))).toEqual({ kind: "refuse", resultCode: "21" });
  const second = request({ operation: "refund", reference: "second", parentReference: "refund" });
  expect(decideOperation(second, undefined, bank.account("refund"))).toBe("25");
});

function isApproved(bank: Bank, next: OperationRequest): boolean {
  const account = bank.account(next.reference);
  if (next.operation === "reverse") return decideReversal(next, account).kind === "reverse";
  return decideOperation(next, account, bank.account("parent")) === "00";
}

function snapshot(bank: Bank) {
  const account = bank.account("parent");
  if (!account) throw new Error("the parent is there from the start");
  return { account: { ...account }, isEnded: account.cancelled || account.reversal !== undefined };
}

function request(overrides: Partial<OperationRequest>): OperationRequest {
  return {
    operation: "authorize",
    reference: "r",
    parentReference: null,
    amountMinor: 100n,
    currency: "EUR",
    pan: null,
    expiresAtMs: 0,
    ...overrides,
  };
}

function entry({
  operation,
  reference,
  parentReference,
  amountMinor,
  currency,
}: OperationRequest): LedgerEntry {
  return {
    at: "2026-01-01T00:00:00.000Z",
    operation,
    reference,
    parentReference,
    amountMinor,
    currency,
    outcome: "approved",
    externalTransactionId: "t",
    pan: null,
    authCode: "000000",
    resultCode: "00",
  };
}
