import { expect, test } from "vitest";
import { decideAfterRefusedHold, decideAfterReversal } from "./decide-undo.ts";

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

test("a hold that was seen late lapses with the third refusal; what is more than a hold, or gone, does not", () => {
  const refused = { kind: "reverse", outcome: "refused" } as const;
  const others = [
    { kind: "authorize", outcome: "approved" },
    { kind: "reverse", outcome: "unknown" },
    { kind: "void", outcome: "refused" },
  ] as const;
  expect(decideAfterRefusedHold("standing", [...others, refused])).toEqual({ againInMs: 86_400_000 });
  expect(decideAfterRefusedHold("standing", [...others, refused, refused])).toEqual({
    againInMs: 172_800_000,
  });
  expect(decideAfterRefusedHold("standing", [refused, refused, refused])).toEqual({ end: "lapses" });
  for (const hold of ["captured", "unknown", "gone"] as const)
    expect(decideAfterRefusedHold(hold, [refused, refused, refused])).toBeUndefined();
});
