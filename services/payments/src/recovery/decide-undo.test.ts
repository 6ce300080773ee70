import type { ReversalOutcome } from "@holdfast/acquirer";
import { expect, test } from "vitest";
import { mayStillArrive } from "./decide-undo.ts";

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
