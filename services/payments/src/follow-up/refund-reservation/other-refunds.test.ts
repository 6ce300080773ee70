import type { Verdict } from "@holdfast/acquirer";
import { describe, expect, test } from "vitest";
import {
  amongOthers,
  isUnderWay,
  namesBeside,
  namesOf,
  waitsFor,
  type OtherRefund,
} from "./other-refunds.ts";

type Call = OtherRefund["calls"][number];
const OPEN: Call = { outcome: null, answered_at: null, external_transaction_id: null, heard_at: null };
const NOT_SENT: Call = { ...OPEN, outcome: "not_sent", answered_at: new Date() };
const DECLINED: Call = { ...OPEN, outcome: "declined", answered_at: new Date() };
const named = (name: string | null): Call => ({
  ...OPEN,
  outcome: "approved",
  answered_at: new Date(),
  external_transaction_id: name,
});
const approved = (externalTransactionId: string): Verdict => ({
  kind: "approved",
  amountMinor: 1_000n,
  currency: "TRY",
  externalTransactionId,
  authCode: "1",
  resultCode: "00",
  resultMessage: "",
});
const other = (calls: Call[], state: OtherRefund["state"] = "ACTIVE"): OtherRefund => ({ state, calls });

describe("another refund is under way", () => {
  test.each<[string, OtherRefund, boolean]>([
    ["while its outcome is not known", other([OPEN]), true],
    ["not before it was sent", other([]), false],
    ["not where it was certainly not sent", other([NOT_SENT]), false],
    [
      "where a call before the one that was not sent may have been carried out",
      other([OPEN, NOT_SENT]),
      true,
    ],
    ["not once the bank has answered", other([OPEN, DECLINED]), false],
    ["not once the bank has approved it, with a name or without", other([named(null)]), false],
    ["not once it has ended", other([OPEN], "RELEASED"), false],
  ])("%s", (_, refund, expected) => {
    expect(isUnderWay(refund)).toBe(expected);
  });
});

describe("a refund of 10.00 waits for another", () => {
  const of = (calls: Call[], amount_minor: bigint) => ({ ...other(calls), amount_minor });
  test.each<[string, boolean, ReturnType<typeof of>, boolean]>([
    ["of the same amount that is under way: a bank may take it for a copy", true, of([OPEN], 1_000n), true],
    ["of another amount: not where the bank knows our references", true, of([OPEN], 999n), false],
    ["of another amount: where only names tell them apart", false, of([OPEN], 999n), true],
    ["of the same amount: not once its outcome is known", true, of([named("t-1")], 1_000n), false],
    ["of the same amount: not before it was sent", false, of([NOT_SENT], 1_000n), false],
  ])("%s", (_, isNamed, another, expected) => {
    const done = of([named("t-0")], 1_000n);
    expect(waitsFor({ amountMinor: 1_000n, isNamed }, [done, another])).toBe(expected);
  });
});

test("a refund has the names that the bank has given it, also unconfirmed", () => {
  const heard: Call = { ...OPEN, external_transaction_id: "t-2", heard_at: new Date() };
  const taken: Call = { ...OPEN, outcome: "unknown", external_transaction_id: "t-3" };
  expect(namesOf(other([named("t-1"), heard, taken, named(null)]))).toEqual(["t-1", "t-2"]);
});

test("beside a refund are the names of the others, and of a cancellation's void", () => {
  const own = { ...named("t-2"), kind: "refund" as const };
  const cancelled = { ...named("t-0"), kind: "void" as const };
  const failed = { ...DECLINED, kind: "void" as const, external_transaction_id: "t-4" };
  expect(namesBeside([other([named("t-1")])], [own, cancelled, failed])).toEqual(["t-1", "t-0"]);
});

describe("an approval that an inquiry shows", () => {
  test("says nothing while another refund is under way", () => {
    expect(amongOthers(approved("t-1"), [other([OPEN])])).toEqual({ kind: "unknown", reason: "pending" });
  });

  test("stands once the others have ended", () => {
    expect(amongOthers(approved("t-2"), [other([named("t-1")], "SETTLED")])).toEqual(approved("t-2"));
  });

  test("in doubt says nothing either, while it may be the other's", () => {
    const mismatch = { kind: "unknown", reason: "mismatch" } as const;
    expect(amongOthers(mismatch, [other([OPEN])])).toEqual({ kind: "unknown", reason: "pending" });
    expect(amongOthers(mismatch, [other([DECLINED])])).toEqual(mismatch);
  });

  test("of any other kind stands as it is", () => {
    expect(amongOthers({ kind: "not_found" }, [other([OPEN])])).toEqual({ kind: "not_found" });
  });
});
