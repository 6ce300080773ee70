import type { Verdict } from "@holdfast/acquirer";
import { describe, expect, test } from "vitest";
import { amongOthers, isUnderWay, knownBy, type OtherRefund } from "./refund-calls.ts";

const AT = new Date("2026-03-01T12:00:00Z");
const RESULT = { resultCode: "00", resultMessage: "" };
const approved = (externalTransactionId: string): Verdict => ({
  kind: "approved",
  amountMinor: 1_000n,
  currency: "TRY",
  externalTransactionId,
  authCode: "1",
  ...RESULT,
});
const other = (change: Partial<OtherRefund>): OtherRefund => ({
  state: "ACTIVE",
  sent_at: AT,
  external_transaction_id: null,
  ...change,
});

describe("another refund is under way", () => {
  test.each<[string, Partial<OtherRefund>, boolean]>([
    ["while its outcome is not known", {}, true],
    ["not before it was sent", { sent_at: null }, false],
    ["not once the bank has named it", { external_transaction_id: "t-1" }, false],
    ["not once it has ended", { state: "RELEASED" }, false],
  ])("%s", (_, change, expected) => {
    expect(isUnderWay(other(change))).toBe(expected);
  });
});

describe("an approval that the bank shows", () => {
  const PENDING = { kind: "unknown", reason: "pending" };

  test("is this refund's where no other can have made it", () => {
    const verdict = approved("t-2");
    const settled = other({ state: "SETTLED", external_transaction_id: "t-1" });
    expect(amongOthers(verdict, [])).toBe(verdict);
    expect(amongOthers(verdict, [settled, other({ sent_at: null })])).toBe(verdict);
  });

  test("says nothing while another one is under way", () => {
    expect(amongOthers(approved("t-1"), [other({})])).toEqual(PENDING);
  });

  test("says nothing where it is known to be another's by now", () => {
    expect(amongOthers(approved("t-1"), [other({ external_transaction_id: "t-1" })])).toEqual(PENDING);
    const cut = "t".repeat(64);
    expect(amongOthers(approved(`${cut}-1`), [other({ external_transaction_id: cut })])).toEqual(PENDING);
  });

  test.each<Verdict>([
    { kind: "not_found" },
    { kind: "declined", ...RESULT },
    { kind: "unknown", reason: "timeout" },
  ])("is all that this is about: $kind", (verdict) => {
    expect(amongOthers(verdict, [other({})])).toBe(verdict);
  });
});

describe("an answer to a call", () => {
  test("names what was paid", () => {
    expect(knownBy(approved("t-1"), AT)).toEqual({ external_transaction_id: "t-1" });
    expect(knownBy(approved(""), AT)).toEqual({ sent_at: null });
  });

  test.each<Verdict>([{ kind: "declined", ...RESULT }, { kind: "expired" }])(
    "$kind: nothing is under way",
    (verdict) => {
      expect(knownBy(verdict, AT)).toEqual({ sent_at: null });
    },
  );

  test("not sent: a call before it may still arrive", () => {
    expect(knownBy({ kind: "not_sent" }, AT)).toEqual({ sent_at: AT });
    expect(knownBy({ kind: "not_sent" }, null)).toEqual({ sent_at: null });
  });

  test.each<Verdict>([{ kind: "unknown", reason: "timeout" }, { kind: "not_found" }, { kind: "reversed" }])(
    "$kind says nothing",
    (verdict) => {
      expect(knownBy(verdict, AT)).toBeUndefined();
    },
  );
});
