import { expect, test } from "vitest";
import { decideAfterReversal } from "./decide-undo.ts";

test("what a bank that binds nothing does not know behind the horizon has ended; what it may know has not", () => {
  const decide = (ageMs: number, isUnseen: boolean) =>
    decideAfterReversal({ kind: "nothing_found" }, ageMs, { horizonMs: 1_000 }, isUnseen).result;
  expect(decide(1_000, true)).toEqual({ kind: "wait", cause: "nothing_found" });
  expect(decide(1_001, true)).toEqual({ kind: "undone", by: "horizon", isUnshown: true });
  for (const ageMs of [1_000, 1_001, Number.POSITIVE_INFINITY])
    expect(decide(ageMs, false)).toEqual({ kind: "wait", cause: "nothing_found" });
});

test("what was reversed by its name is waited for until the record shows it, or the horizon", () => {
  const decide = (ageMs: number, isHidden: boolean) =>
    decideAfterReversal(
      { kind: "reversed", ...(isHidden && { isHidden }) },
      ageMs,
      { horizonMs: 1_000 },
      false,
    ).result;
  expect(decide(1_000, true)).toEqual({ kind: "wait", cause: "reversal_not_shown" });
  expect(decide(1_001, true)).toEqual({ kind: "undone", by: "reversal", isUnshown: true });
  expect(decide(0, false)).toEqual({ kind: "undone", by: "reversal" });
});
