import type { Verdict } from "@holdfast/acquirer";
import { describe, expect, test } from "vitest";
import {
  answerColumns,
  isOpen,
  lastSentMsAgo,
  mayHaveLeft,
  mayStillArrive,
  movementOutcome,
  nameGiven,
  namesFor,
} from "./bank-call.ts";
import type { CallOutcome } from "./bank-call-table.ts";

const call = (outcome: CallOutcome | null, sent_ms_ago: number) => ({
  outcome,
  sent_ms_ago,
  answered_at: outcome === null || outcome === "unknown" ? null : new Date(),
});

test("a call without an answer is open, whether its process died or the bank did not answer", () => {
  expect([call(null, 1), call("unknown", 1)].map(isOpen)).toEqual([true, true]);
  expect([call("approved", 1), call("not_sent", 1)].map(isOpen)).toEqual([false, false]);
});

describe("the time since a movement was sent last", () => {
  test("is that of the last call that may have left", () => {
    expect(lastSentMsAgo([call("unknown", 900), call(null, 500)])).toBe(500);
    expect(lastSentMsAgo([])).toBeNull();
  });

  test("is not that of a call that was certainly not sent, which takes back none before it", () => {
    expect(mayHaveLeft(call("not_sent", 1))).toBe(false);
    expect(lastSentMsAgo([call(null, 900), call("not_sent", 500)])).toBe(900);
    expect(lastSentMsAgo([call("not_sent", 500)])).toBeNull();
  });
});

test("a call may still arrive until the horizon, and one that was not sent never", () => {
  expect([null, 0, 1_000, 1_001].map((ago) => mayStillArrive(ago, 1_000))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

describe("a movement that the bank has not seen", () => {
  const seen = (repetition: "replay" | "refuses_second_success" | "none", sentMsAgo: number | null) =>
    movementOutcome(NOT_FOUND, ASKED, { sentMsAgo, horizonMs: 1_000 }, { repetition });

  test("is sent again at a bank that replays, whenever it was sent", () => {
    expect(seen("replay", 0)).toBe("repeat");
  });

  test.each(["refuses_second_success", "none"] as const)(
    "waits at a bank with %s until none may arrive",
    (bank) => {
      expect(seen(bank, 1_000)).toBe("wait");
      expect(seen(bank, 1_001)).toBe("repeat");
      expect(seen(bank, null)).toBe("repeat");
    },
  );
});

test("another amount than the requested one is noted, and is a mismatch", () => {
  const other = { ...APPROVED, amountMinor: 60n };
  const asked = { amount_minor: 100n, currency: "TRY" };
  expect(answerColumns(other, asked)).toMatchObject({
    outcome: "approved",
    approved_minor: 60n,
    approved_currency: "TRY",
  });
  expect(answerColumns(APPROVED, asked)).toMatchObject({ outcome: "approved", approved_minor: null });
  const sending = { sentMsAgo: 0, horizonMs: 1_000 };
  expect(movementOutcome(other, ASKED, sending, { repetition: "replay" })).toEqual({
    kind: "unknown",
    reason: "mismatch",
  });
});

test("a return that proves nothing was certainly not sent to the bank", () => {
  const answer = answerColumns(
    { kind: "not_genuine", why: "signature" },
    { amount_minor: 1n, currency: "TRY" },
  );
  expect(answer).toMatchObject({ outcome: "not_sent", result_code: "signature" });
});

describe("the names that tell a movement from others", () => {
  const row = (outcome: CallOutcome | null, names_before: string[] | null, name: string | null = null) => ({
    outcome,
    names_before,
    external_transaction_id: name,
  });

  test("are those before the first call that may have left", () => {
    expect(namesFor([row("unknown", ["t-1"]), row(null, ["t-1", "t-2"])], ["t-3"])).toEqual({
      before: ["t-1"],
      others: ["t-3"],
    });
    expect(namesFor([row("not_sent", ["t-1"]), row(null, ["t-1", "t-2"])], [])).toEqual({
      before: ["t-1", "t-2"],
      others: [],
    });
  });

  test("are not all known before one may have left; what was there when none had is none of it", () => {
    expect(namesFor([], ["t-3"])).toEqual({ others: ["t-3"] });
    expect(namesFor([row("not_sent", ["t-1", "t-3"])], ["t-3"])).toEqual({ others: ["t-3", "t-1"] });
  });

  test("have its own, once the bank has given it", () => {
    expect(namesFor([row("unknown", []), row("approved", [], "t-4")], [])).toMatchObject({ own: "t-4" });
    expect(namesFor([row("unknown", [], "t-4")], [])).not.toHaveProperty("own");
  });
});

describe("the name of an approval", () => {
  const made = (change: Partial<Parameters<typeof nameGiven>[2][number]> = {}) => ({
    number: 2,
    kind: "refund" as const,
    account_id: "a",
    movement_id: "r-1",
    outcome: "approved" as const,
    external_transaction_id: "t-1",
    ...change,
  });
  const sale = made({ number: 1, kind: "sale", movement_id: null, external_transaction_id: "t-0" });
  const capture = made({ number: 2, kind: "capture", movement_id: "o-1", external_transaction_id: "t-0" });
  const call = made({ number: 3, movement_id: "r-2" });
  const given = (name: string, calls: ReturnType<typeof made>[], sharesNameOn: "refund"[] = []) =>
    nameGiven(call, name, [...calls, call], { sharesNameOn });

  test("is its own where no other movement has it", () => {
    expect(given("t-2", [sale, made()])).toBe("own");
    expect(given("t-1", [made({ outcome: "declined" as never })])).toBe("own");
    expect(given("t-1", [made({ account_id: "b" })])).toBe("own");
  });

  test("is taken where another movement has it", () => {
    expect(given("t-1", [sale, made()])).toBe("taken");
    expect(given("t-1", [sale, made()], ["refund"])).toBe("taken");
    expect(given("t-0", [sale])).toBe("taken");
  });

  test("is shared with what it is about where the bank does so, and among the calls of one movement", () => {
    expect(given("t-0", [sale, capture], ["refund"])).toBe("shared");
    expect(given("t-1", [made({ movement_id: "r-2" })])).toBe("shared");
  });
});

const ASKED = { amountMinor: 100n, currency: "TRY" };
const NOT_FOUND: Verdict = { kind: "not_found" };
const APPROVED = {
  kind: "approved",
  ...ASKED,
  externalTransactionId: "",
  authCode: "1",
  resultCode: "00",
  resultMessage: "",
} as const;
