import type { Verdict } from "@holdfast/acquirer";
import { describe, expect, test } from "vitest";
import { bankSays, decideEnd, type Said } from "./resolve-operation.ts";

const payment = { state: "SUCCESS", amount_minor: 100n, released_minor: 10n, currency: "TRY" } as const;
const capture = { kind: "CAPTURE", amount_minor: 80n, commission_minor: 3n } as const;
const bankResult = { resultCode: "00", resultMessage: "Approved" };
const done = (amountMinor: bigint, currency = "TRY"): Said => ({
  isDone: true,
  amount: { amountMinor, currency },
  result: bankResult,
});
const settled = { code: "bank_says_settled" };
const refused = { code: "invalid_payment_state" };

describe("the end of an operation by people", () => {
  test.each([
    ["SUCCESS", "whole", done(80n), { state: "DONE", ...bankResult }],
    ["FAILED", "whole", done(80n), { state: "DONE", ...bankResult }],
    ["SUCCESS", "declined", { isDone: false, result: bankResult }, { state: "DECLINED", ...bankResult }],
    ["SUCCESS", "unknown to the bank", {}, { state: "DONE", resultCode: "resolved" }],
    ["FAILED", "unknown to the bank", {}, { state: "DECLINED", resultCode: "resolved" }],
    ["FAILED", "in part", done(40n), settled],
    ["FAILED", "in more than one movement", { isDone: true }, settled],
    ["SUCCESS", "in part", done(40n), { booked: { amount_minor: 40n, commission_minor: 2n }, ...bankResult }],
    ["SUCCESS", "of all that is left", done(90n), { booked: { amount_minor: 90n, commission_minor: 3n } }],
    ["SUCCESS", "of more than is left", done(91n), refused],
    ["SUCCESS", "in another currency", done(80n, "EUR"), refused],
  ] as const)("as %s, %s", (outcome, _case, said, end) => {
    expect(decideEnd(payment, capture, said, outcome)).toMatchObject(end);
  });

  test.each(["CANCEL", "EXPIRY"] as const)("of a %s that the bank has done in another amount", (kind) => {
    const cancel = { kind, amount_minor: 90n, commission_minor: 0n };
    for (const minor of [40n, 91n])
      expect(decideEnd(payment, cancel, done(minor), "SUCCESS")).toEqual({ state: "DONE", ...bankResult });
    expect(decideEnd(payment, cancel, done(40n), "FAILED")).toMatchObject(settled);
    expect(decideEnd(payment, cancel, done(90n, "EUR"), "SUCCESS")).toMatchObject(refused);
  });
});

describe("the bank's word on an operation", () => {
  type Calls = Parameters<typeof bankSays>[1];
  const call = {
    outcome: "approved",
    heard_at: null,
    amount_minor: 80n,
    currency: "TRY",
    approved_minor: 40n,
    approved_currency: "TRY",
    result_code: "00",
    result_message: "Approved",
  } as const;
  const heard = { ...call, outcome: "unknown", heard_at: new Date(), approved_minor: null } as const;
  const unknown = (reason: "timeout" | "mismatch" | "pending") => ({ kind: "unknown", reason }) as const;
  test.each<[string, Verdict, Calls, Said]>([
    ["is what it has said before, where it is silent now", unknown("timeout"), [call], done(40n)],
    ["stands, where it has no record any more", { kind: "not_found" }, [call], done(40n)],
    ["ends, where it was reversed", { kind: "reversed" }, [call], {}],
    ["is that something was done, where two movements may be it", unknown("mismatch"), [], { isDone: true }],
    ["is an approval that it has not shown", unknown("pending"), [heard], { isDone: true }],
    [
      "is the amount of one that it showed so",
      unknown("mismatch"),
      [{ ...heard, approved_minor: 40n }],
      { isDone: true, amount: done(40n).amount! },
    ],
    ["is nothing without an answer", unknown("timeout"), [], {}],
  ])("%s", (_case, inquiry, calls, said) => {
    expect(bankSays(inquiry, calls)).toEqual(said);
  });
});
