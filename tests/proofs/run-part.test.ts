import { expect, test } from "vitest";
import { GATE, PROOFS } from "./parts.ts";
import { resultOf } from "./run-part.ts";

const ended = (code: number | null, output: string) =>
  resultOf({ name: "part", command: "command", code, output, minutes: 1 });

test.each([
  ["vitest", 0, "      Tests  12 passed | 3 skipped (15)\n", { passed: 12, failed: 0, verdict: "green" }],
  ["vitest that fails", 1, " Tests  2 failed | 10 passed (12)\n", { passed: 10, failed: 2, verdict: "RED" }],
  ["two runs", 0, " Tests  2 passed (2)\n Tests  3 passed (3)\n", { passed: 5, failed: 0, verdict: "green" }],
  ["chaos", 0, "seed 42: to repeat\n16 passed, 0 failed\n", { passed: 16, verdict: "green", seed: "42" }],
  ["a program that counts nothing", 0, "formatted\n", { passed: 1, failed: 0, verdict: "green" }],
  ["a program that fails", 1, "lint\n", { passed: 0, failed: 1, verdict: "RED" }],
  ["green tests of a run that fails", 1, " Tests  2 passed (2)\n", { passed: 2, failed: 1, verdict: "RED" }],
  ["a choice that has no test", 0, " Tests  15 skipped (15)\n", { passed: 0, failed: 1, verdict: "RED" }],
  ["one that was killed", null, "", { passed: 0, failed: 1, verdict: "RED" }],
])("the cases and the verdict of %s", (_, code, output, expected) => {
  expect(ended(code, output)).toMatchObject(expected);
});

test("a red part tells its failures again, or how its output ended", () => {
  const vitest =
    " ✓ a test\n FAIL  |unit| a.test.ts > adds\nAssertionError: 3\n Tests  1 failed | 1 passed (2)\n";
  expect(ended(1, vitest).shown).toMatch(/^ FAIL .*adds\nAssertionError: 3\n/);
  expect(ended(1, "a.ts: no semicolon\n").shown).toBe("a.ts: no semicolon");
  expect(ended(0, " Tests  2 passed (2)\n")).not.toHaveProperty("shown");
});

test.each([
  ["the gate", GATE],
  ["the proofs", PROOFS],
])("each part of %s has a name of its own", (_, parts) => {
  expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
});
