import type { Verdict } from "@holdfast/acquirer";
import { describe, expect, test } from "vitest";
import {
  answerColumns,
  answerToChargedBack,
  besideApproval,
  isOpen,
  lastSentMsAgo,
  mayHaveLeft,
  mayStillArrive,
  movementOutcome,
  nameGiven,
  namesFor,
  type BankCall,
} from "./bank-call.ts";
import type { CallOutcome } from "./bank-call-table.ts";

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
const CALL: BankCall = {
  payment_id: "p1",
  account_id: "a1",
  number: 1,
  sub_reference: 1,
  movement_id: null,
  amount_minor: 100n,
  sent_at: new Date(0),
  sent_ms_ago: 0,
  currency: "TRY",
  kind: "sale",
  reference: "p1",
  answered_at: null,
  outcome: null,
  external_transaction_id: "T1",
  names_before: null,
  own_name: null,
  auth_code: "1",
  result_code: null,
  result_message: null,
  approved_minor: null,
  approved_currency: null,
  heard_at: null,
};

const call = (outcome: CallOutcome | null, sent_ms_ago: number) => ({
  outcome,
  sent_ms_ago,
  heard_at: null,
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

test("what a chargeback has taken is not given back, but what may be done already is not called off", () => {
  const answered = (...calls: ReturnType<typeof call>[]) => answerToChargedBack(calls, 1_000, 0).kind;
  expect(answered()).toBe("declined");
  expect(answered(call("unknown", 900))).toBe("unknown");
  expect(answered(call(null, 1_001), call("not_sent", 1))).toBe("declined");
  expect(answered(call("approved", 9_000))).toBe("unknown");
  const heard = { ...call("unknown", 9_000), heard_at: new Date() };
  expect(answerToChargedBack([heard], 1_000, 0).kind).toBe("unknown");
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

describe("an inquiry about a call that the bank has approved", () => {
  const heard = { ...CALL, outcome: "unknown", heard_at: new Date() } as const;
  const answered = { ...CALL, outcome: "approved", answered_at: new Date() } as const;
  const pending = { kind: "unknown", reason: "pending" };
  const refused: Verdict = { kind: "declined", resultCode: "05", resultMessage: "" };

  test.each<[string, Verdict]>([
    ["knows nothing", NOT_FOUND],
    ["calls it too late", { kind: "expired" }],
    ["shows a refusal without a name", refused],
    ["shows a refusal of another name", { ...refused, externalTransactionId: "T0" }],
  ])("that %s is behind it", (_, verdict) => {
    expect(besideApproval(verdict, heard)).toEqual(pending);
    expect(besideApproval(verdict, answered)).toMatchObject({
      kind: "approved",
      ...ASKED,
      externalTransactionId: "T1",
    });
    expect(besideApproval(verdict, CALL)).toEqual(verdict);
    expect(besideApproval(verdict, undefined)).toEqual(verdict);
  });

  test.each<[string, Verdict]>([
    ["shows it", { ...APPROVED, externalTransactionId: "T1" }],
    ["shows that it was reversed", { kind: "reversed" }],
    ["shows that the bank has refused it since", { ...refused, externalTransactionId: "T1" }],
    ["says nothing", { kind: "unknown", reason: "timeout" }],
  ])("that %s is believed", (_, verdict) => {
    expect(besideApproval(verdict, heard)).toEqual(verdict);
  });

  test("that shows another success is a mismatch, of a payment and not of a capture", () => {
    const other: Verdict = { ...APPROVED, externalTransactionId: "T2" };
    expect(besideApproval(other, heard)).toEqual({ kind: "unknown", reason: "mismatch" });
    expect(besideApproval(other, { ...heard, kind: "capture" })).toEqual(other);
  });

  test("keeps its name, its code and another amount", () => {
    const { kind, ...approval } = { ...APPROVED, externalTransactionId: "T1", amountMinor: 60n };
    const answer = { kind: "unknown", reason: "mismatch", heard: { kind, ...approval } } as const;
    expect(answerColumns(answer, CALL)).toMatchObject({
      outcome: "unknown",
      external_transaction_id: "T1",
      auth_code: "1",
      result_code: "mismatch",
      approved_minor: 60n,
    });
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
  const row = (
    outcome: CallOutcome | null,
    names_before: string[] | null,
    external_transaction_id: string | null = null,
    heard_at: Date | null = null,
  ) => ({ outcome, names_before, external_transaction_id, heard_at });

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
    expect(namesFor([row("unknown", [], "t-4", new Date())], [])).toMatchObject({ own: "t-4" });
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
    heard_at: null,
    external_transaction_id: "t-1",
    names_before: null,
    ...change,
  });
  const sale = made({ number: 1, kind: "sale", movement_id: null, external_transaction_id: "t-0" });
  const capture = made({ number: 2, kind: "capture", movement_id: "o-1", external_transaction_id: "t-0" });
  const call = made({ number: 3, movement_id: "r-2" });
  const given = (
    name: string,
    calls: ReturnType<typeof made>[],
    sharesNameOn: "refund"[] = [],
    asVoid = {},
  ) => nameGiven(call, { name, ...asVoid }, [...calls, call], { sharesNameOn });
  const AS_VOID = { asVoid: true } as const;

  test("is its own where no other movement has it", () => {
    expect(given("t-2", [sale, made()])).toBe("own");
    expect(given("t-1", [made({ outcome: "declined" as never })])).toBe("own");
    expect(given("t-1", [made({ account_id: "b" })])).toBe("own");
  });

  test("is taken where another movement has it", () => {
    expect(given("t-1", [sale, made()])).toBe("taken");
    expect(given("t-1", [sale, made()], ["refund"], AS_VOID)).toBe("taken");
    expect(given("t-0", [sale])).toBe("taken");
    expect(given("t-1", [made({ outcome: "unknown" as never, heard_at: new Date() })])).toBe("taken");
  });

  test("is taken where the order had it before the movement was sent, as that of a refund in the bank's panel", () => {
    const first = { movement_id: "r-2", outcome: null, external_transaction_id: null };
    expect(given("t-9", [sale, made({ ...first, names_before: ["t-9"] })])).toBe("taken");
    expect(given("t-8", [sale, made({ ...first, names_before: ["t-9"] })])).toBe("own");
    const unsent = { ...first, outcome: "not_sent" as const };
    expect(given("t-9", [sale, made({ ...unsent, names_before: ["t-9"] })])).toBe("own");
    expect(given("t-9", [sale, made({ ...first, movement_id: "r-1", names_before: ["t-9"] })])).toBe("own");
  });

  test("of a credit is not that of what it pays back", () => {
    expect(given("t-0", [sale, capture], ["refund"])).toBe("taken");
    expect(given("t-0", [sale], [], AS_VOID)).toBe("taken");
  });

  test("is shared with what it is about where the bank does so, and among the calls of one movement", () => {
    expect(given("t-0", [sale, capture], ["refund"], AS_VOID)).toBe("shared");
    expect(given("t-1", [made({ movement_id: "r-2" })])).toBe("shared");
  });
});
