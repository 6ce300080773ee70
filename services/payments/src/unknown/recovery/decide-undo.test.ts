import type { ReversalOutcome } from "@holdfast/acquirer";
import { expect, test } from "vitest";
import { decideAfterReversal, mayStillArrive } from "./decide-undo.ts";

const RESULT = { resultCode: "21", resultMessage: "" };

test.each([
  [{ kind: "unknown", reason: "timeout" }, true],
  [{ kind: "reversed" }, false],
  [{ kind: "nothing_found" }, false],
  [{ kind: "settled", ...RESULT }, false],
  [{ kind: "refused", ...RESULT }, false],
  [{ kind: "not_sent" }, false],
] satisfies [ReversalOutcome, boolean][])(
  "a reversal answered with %j may still arrive: %s",
  (answer, may) => {
    expect(mayStillArrive(answer)).toBe(may);
  },
);

test("what a bank that binds nothing does not know at the horizon has ended; what it may know has not", () => {
  const decide = (ageMs: number, isUnseen: boolean) =>
    decideAfterReversal({ kind: "nothing_found" }, ageMs, { horizonMs: 1_000 }, isUnseen).result;
  expect(decide(999, true)).toEqual({ kind: "wait", cause: "nothing_found" });
  expect(decide(1_000, true)).toEqual({ kind: "undone", by: "horizon" });
  for (const ageMs of [999, 1_000, Number.POSITIVE_INFINITY])
    expect(decide(ageMs, false)).toEqual({ kind: "wait", cause: "nothing_found" });
});
