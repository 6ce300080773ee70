import { describe, expect, test } from "vitest";
import {
  IllegalTransitionError,
  merchantStatus,
  PAYMENT_STATES,
  PAYMENT_TRANSITIONS,
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
    ["AUTHORIZING", "ENROLLED"],
    ["REVERSING", "ENROLLED"],
    ["ENROLLED", "ENROLLED"],
    ["SUCCESS", "SUCCESS"],
    ["FAILED", "FAILED"],
    ["REJECTED", "REJECTED"],
    ["CANCELLED", "CANCELLED"],
    ["CAPTURED", "CAPTURED"],
  ]);
});
