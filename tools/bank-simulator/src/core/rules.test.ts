import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Book, netMinor, type Posting } from "./book.ts";
import * as when from "./rules.ts";
import { repeatOf, verdictOf, type Case, type Condition, type Rule } from "./rules.ts";
import { saleOf } from "./test/test-bank.ts";

type FollowUp = "capture" | "release" | "void" | "refund";
type RulesOfLife = Record<FollowUp, readonly Rule<Case<unknown>, string>[]>;

const known = [
  [when.namesNoApprovedPayment, "unknown"],
  [when.isVoided, "voided"],
  [when.isOtherCurrency, "currency"],
] as const;
const hold = [...known, [when.not(when.isOpenHold), "no hold"], [when.isOverHold(), "amount"]] as const;

/** Rules of life of three kinds of banks: the tests below are the same for each. */
const BANKS: Record<string, RulesOfLife> = {
  "releases parts and refunds on any day": {
    capture: hold,
    release: hold,
    void: [
      ...known,
      [when.isSettled, "settled"],
      [when.isCapturedHold, "captured"],
      [when.isRefunded, "refunded"],
      [when.isPart, "part"],
    ],
    refund: [...known, [when.isUncaptured, "uncaptured"], [when.isOverNet, "amount"]],
  },
  "voids on the day and refunds after it": {
    capture: hold,
    release: [[() => true, "never"]],
    void: [...known, [when.isOfEndedDay, "day over"], [when.isRefunded, "refunded"]],
    refund: [
      ...known,
      [when.hasOpenHold, "uncaptured"],
      [when.hasOpenDay, "day open"],
      [when.isNetZero, "net zero"],
      [when.isOverNet, "amount"],
    ],
  },
  "captures the whole and cancels captures": {
    capture: [
      ...known,
      [when.not(when.isOpenHold), "no hold"],
      [when.isOtherThanHold, "amount"],
      [when.isOlderThan(1_000), "too old"],
    ],
    release: [[() => true, "never"]],
    void: [...known, [when.isSettled, "settled"], [when.isRefunded, "refunded"]],
    refund: [...known, [when.isUncaptured, "uncaptured"], [when.isZero, "zero"], [when.isOverNet, "amount"]],
  },
};

const operations = ["capture", "release", "void", "refund", "day"] as const;
const step = fc.record({
  operation: fc.constantFrom(...operations),
  amountMinor: fc.bigInt({ min: 1n, max: 120n }),
  isWhole: fc.boolean(),
  currency: fc.constantFrom("EUR", "EUR", "EUR", "USD"),
});

describe.each(Object.entries(BANKS))("a bank that %s", (_name, rules) => {
  test("moves in no order of calls and days more than was authorized", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("authorize", "sale"),
        fc.array(step, { maxLength: 14 }),
        (operation, steps) => {
          const book = bookOf(operation);
          const row = book.named("m", "p")!.row!;
          let captures = 0;
          steps.forEach((each, index) => {
            if (each.operation === "day") {
              book.endDay(0);
              return;
            }
            const amountMinor = each.isWhole ? 100n : each.amountMinor;
            const wasVoided = row.status === "voided";
            const wasSettled = row.status === "settled";
            const asked = caseOf(book, { amountMinor, currency: each.currency });
            if (verdictOf(rules[each.operation], asked) !== undefined) return;
            expect(wasVoided || each.currency !== "EUR").toBe(false);
            if (each.operation === "void") expect(wasSettled).toBe(false);
            if (each.operation === "capture") captures += 1;
            book.apply(posting({ operation: each.operation, id: `${index}`, of: "p", amountMinor }));
          });
          expect(row.capturedMinor + row.releasedMinor).toBeLessThanOrEqual(100n);
          const refunds = row.status === "voided" ? book.order("m", "p")!.rows.filter(isRefund) : [];
          expect(refunds).toEqual([]);
          if (row.status !== "voided") expect(netMinor(book.order("m", "p")!)).toBeGreaterThanOrEqual(0n);
          expect(captures).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

const hours = (count: number) => count * 3_600_000;

/** The lines under `p`, the call after them, and whether a condition holds of it. */
test.each<[string, Partial<Posting>[], Partial<Case<Posting>>, Condition<Case<unknown>>, boolean]>([
  ["a hold", [{ operation: "authorize" }], {}, when.isOpenHold, true],
  ["a hold", [{ operation: "authorize" }], {}, when.hasOnlySales, false],
  ["a hold", [{ operation: "authorize" }], { nowMs: hours(2) }, when.isOlderThan(hours(1)), true],
  ["a hold", [{ operation: "authorize" }], { nowMs: hours(1) }, when.isOlderThan(hours(1)), false],
  ["a hold and 101", [{ operation: "authorize" }], { amountMinor: 101n }, when.isOverHold(), true],
  ["a hold and 115", [{ operation: "authorize" }], { amountMinor: 115n }, when.isOverHold(115n), false],
  ["a hold and 116", [{ operation: "authorize" }], { amountMinor: 116n }, when.isOverHold(115n), true],
  ["a sale", [{}], {}, when.all(when.isSale, when.hasPayment), true],
  ["a sale", [{}], {}, when.namesNoPayment, false],
  ["a sale", [{}], { currency: "USD" }, when.isOtherCurrency, true],
  ["a sale", [{}], { currency: undefined }, when.isOtherCurrency, false],
  ["a sale and less than nothing", [{}], { amountMinor: -1n }, when.isNegative, true],
  ["a declined sale", [{ isApproved: false }], {}, when.isUnknown, true],
  ["a declined sale", [{ isApproved: false }], {}, when.namesNoPayment, false],
  ["a declined sale", [{ isApproved: false }], {}, when.hadPayment, false],
  ["a voided sale", [{}, { operation: "void", id: "v", of: "p" }], {}, when.hadPayment, true],
  ["a voided sale", [{}, { operation: "void", id: "v", of: "p" }], {}, when.hasPayment, false],
  ["a refund's name", [{}, { operation: "refund", id: "r" }], { id: "r" }, when.namesNoApprovedPayment, true],
  ["nothing", [], {}, when.all(when.hasNoOrder, when.hasNoPayment), true],
])("after %s (%#)", (_name, lines, asked, condition, expected) => {
  const book = bookOf(...lines);
  expect(condition(caseOf(book, asked))).toBe(expected);
});

test("the first rule that holds decides, and none approves", () => {
  const rules: Rule<number, string>[] = [
    [(of) => of > 10, "ten"],
    [(of) => of > 5, "five"],
  ];
  expect([20, 7, 1].map((of) => verdictOf(rules, of))).toEqual(["ten", "five", undefined]);
});

test.each([
  ["replay", true, "replay"],
  ["replay", false, "replay"],
  ["refuses_second_success", true, "refuse"],
  ["refuses_second_success", false, "judge"],
  ["none", true, "judge"],
] as const)("at a bank of %s a repeat after an approval (%s) is a %s", (repetition, isApproved, expected) => {
  expect(repeatOf({ line: {}, isApproved }, repetition)).toBe(expected);
  expect(repeatOf(undefined, repetition)).toBe("judge");
});

describe("the book", () => {
  test("shows what became of a hold, and of a void that leaves it as it was", () => {
    const book = bookOf(
      { operation: "authorize" },
      { operation: "capture", id: "c", of: "p", amountMinor: 60n },
    );
    const row = book.named("m", "c")!.row!;
    expect(row).toMatchObject({ status: "captured", id: "p", captureId: "c", capturedMinor: 60n });
    book.apply(posting({ operation: "void", id: "v", of: "c", restoresHold: true }));
    expect(row).toMatchObject({ status: "authorized", captureId: undefined, capturedMinor: 0n });
  });

  test("settles at a day's end the money that stands, and tells the day's movements", () => {
    const book = bookOf({}, { id: "q", order: "q" }, { operation: "void", id: "v", of: "q", order: "q" });
    expect(book.endDay(5)).toMatchObject({ day: 1, endedAtMs: 5, movements: { length: 3 } });
    expect(book.named("m", "p")?.row).toMatchObject({ status: "settled", settledInDay: 1 });
    expect(book.named("m", "q")?.row).toMatchObject({ status: "voided" });
    expect(book.endDay(6).movements).toEqual([]);
  });

  test("restates a payment whose repeat a bank has judged as if it were the first", () => {
    const book = bookOf(
      { isApproved: false },
      {},
      { amountMinor: 70n },
      { isApproved: false, amountMinor: 9n },
    );
    expect(book.order("m", "p")!.rows).toMatchObject([{ status: "captured", capturedMinor: 70n }]);
    expect(book.named("m", "p")?.line).toMatchObject({ amountMinor: 70n });
    expect(() => book.apply(posting({ operation: "void", id: "v", of: "another" }))).toThrow("does not have");
  });
});

function bookOf(...lines: (Partial<Posting> | string)[]): Book<Posting> {
  const book = new Book<Posting>((line) => line);
  for (const line of lines) {
    book.apply(posting(typeof line === "string" ? { operation: line as Posting["operation"] } : line));
  }
  return book;
}

function posting(overrides: Partial<Posting>): Posting {
  return { ...saleOf({ id: "p", at: "1970-01-01T00:00:00Z" }), ...overrides };
}

function caseOf(book: Book<Posting>, asked: Partial<Case<Posting>>): Case<Posting> {
  const { id = "p" } = asked;
  const { order, row } = book.named("m", id) ?? {};
  return { order, row, id, amountMinor: 100n, currency: "EUR", day: book.day, nowMs: 0, ...asked };
}

function isRefund({ kind, status }: { kind: string; status: string }): boolean {
  return kind === "refund" && status !== "declined";
}
