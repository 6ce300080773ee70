import { IllegalTransitionError } from "@holdfast/contracts";
import { describe, expect, test } from "vitest";
import {
  isFinal,
  isUnderWay,
  merchantStatus,
  REFUND_STATES,
  REFUND_TRANSITIONS,
  transition,
} from "./refund.ts";

describe("the transition table", () => {
  test("lets every state be reached, and leaves no final one", () => {
    const reached = new Set(Object.values(REFUND_TRANSITIONS).flat());
    expect([...reached].toSorted()).toEqual([...REFUND_STATES].toSorted());
    for (const state of REFUND_STATES) expect(REFUND_TRANSITIONS[state].length === 0).toBe(isFinal(state));
  });

  test("allows what it has and nothing else", () => {
    expect(transition("EXECUTING", "SETTLING")).toBe("SETTLING");
    for (const [from, to] of [
      ["PENDING_APPROVAL", "SUCCESS"],
      ["EXECUTING", "REJECTING"],
      ["REJECTING", "EXECUTING"],
      ["SETTLING", "FAILED"],
      ["SUCCESS", "FAILED"],
    ] as const) {
      expect(() => transition(from, to)).toThrow(IllegalTransitionError);
    }
  });
});

test("merchants see PENDING_APPROVAL until the end, and a refund that is being reserved not at all", () => {
  const shown = Object.fromEntries(
    REFUND_STATES.filter((state) => state !== "RESERVING").map((state) => [state, merchantStatus(state)]),
  );
  expect(shown).toEqual({
    PENDING_APPROVAL: "PENDING_APPROVAL",
    EXECUTING: "PENDING_APPROVAL",
    SETTLING: "PENDING_APPROVAL",
    FAILING: "PENDING_APPROVAL",
    REJECTING: "PENDING_APPROVAL",
    SUCCESS: "SUCCESS",
    FAILED: "FAILED",
    REJECTED: "REJECTED",
  });
  expect(() => merchantStatus("RESERVING")).toThrow("before it was reserved");
});

test("somebody has something to do about a refund unless it waits for people or has ended", () => {
  expect(REFUND_STATES.filter(isUnderWay)).toEqual([
    "RESERVING",
    "EXECUTING",
    "SETTLING",
    "FAILING",
    "REJECTING",
  ]);
});
