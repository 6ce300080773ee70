import { IllegalTransitionError } from "@holdfast/contracts";
import { describe, expect, test } from "vitest";
import {
  endOfReversal,
  isUnsettled,
  merchantStatus,
  PAYMENT_STATES,
  PAYMENT_TRANSITIONS,
  reversalState,
  transition,
} from "./payment.ts";

const everyPair = ["NONE" as const, ...PAYMENT_STATES].flatMap((from) =>
  PAYMENT_STATES.map((to) => [from, to] as const),
);

describe("transition", () => {
  test.each(everyPair)("%s → %s is allowed exactly when the table has it", (from, to) => {
    const inTable = (PAYMENT_TRANSITIONS[from] as readonly string[]).includes(to);
    if (inTable) expect(transition(from, to)).toBe(to);
    else expect(() => transition(from, to)).toThrow(IllegalTransitionError);
  });
});

test("FAILED, REJECTED and CANCELLED absorb", () => {
  expect([PAYMENT_TRANSITIONS.FAILED, PAYMENT_TRANSITIONS.REJECTED, PAYMENT_TRANSITIONS.CANCELLED]).toEqual([
    [],
    [],
    [],
  ]);
});

test("what is not settled yet shows as ENROLLED, everything else as itself", () => {
  expect(PAYMENT_STATES.map((state) => [state, merchantStatus(state)])).toEqual([
    ["ENROLLING", "ENROLLED"],
    ["ENROLLED", "ENROLLED"],
    ["AUTHORIZING", "ENROLLED"],
    ["REVERSING", "ENROLLED"],
    ["CANCELLING", "ENROLLED"],
    ["SUCCESS", "SUCCESS"],
    ["FAILED", "FAILED"],
    ["REJECTED", "REJECTED"],
    ["CANCELLED", "CANCELLED"],
    ["CAPTURED", "CAPTURED"],
  ]);
});

test("what shall not stand ends as FAILED, and a session that nobody finished as CANCELLED", () => {
  const ends = PAYMENT_STATES.filter((state) => isUnsettled(state) || state === "ENROLLED").map((state) => [
    state,
    endOfReversal(reversalState(state)),
  ]);
  expect(ends).toEqual([
    ["ENROLLING", "FAILED"],
    ["ENROLLED", "CANCELLED"],
    ["AUTHORIZING", "FAILED"],
    ["REVERSING", "FAILED"],
    ["CANCELLING", "CANCELLED"],
  ]);
});

// The bank's refusal and the two operators that it takes are tested where they resolve.
test("a payment that is to be reversed ends with the reversal, or is booked by people", () => {
  expect([PAYMENT_TRANSITIONS.REVERSING, PAYMENT_TRANSITIONS.CANCELLING]).toEqual([
    ["FAILED", "SUCCESS"],
    ["CANCELLED", "SUCCESS"],
  ]);
});
