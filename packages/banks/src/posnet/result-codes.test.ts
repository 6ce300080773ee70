import { expect, test } from "vitest";

import { classOf, type Step } from "./result-codes.ts";

test.each<[Step, string, ReturnType<typeof classOf>]>([
  ["payment", "0051", "limit"],
  ["payment", "0005", "soft"],
  ["payment", "0012", "hard"],
  ["payment", "0041", "stolen"],
  ["payment", "0127", "undecided"],
  ["payment", "0125", "undecided"],
  ["payment", "0091", "undecided"],
  ["payment", "E998", "undecided"],
  ["payment", "0217", "undecided"],
  ["payment", "0002", "technical"],
  ["payment", "E216", "technical"],
  ["payment", "0148", "credentials"],
  // Another step's code proves nothing about this step.
  ["payment", "0220", undefined],
  ["payment", "0211", undefined],
  ["payment", "E219", undefined],
  ["payment", "0999", undefined],
  ["payment", "0355", undefined],
  ["follow_up", "0005", "technical"],
  ["follow_up", "0205", "technical"],
  ["follow_up", "0411", "day_not_ended"],
  ["follow_up", "0220", undefined],
  ["void", "0220", "technical"],
  ["void", "0411", undefined],
  ["inquiry", "E219", "technical"],
  ["inquiry", "0122", undefined],
])("%s: %s is %s", (step, code, codeClass) => {
  expect(classOf(step, code, "refused")).toBe(codeClass);
});

test("the older refusal of a caller is one by its text alone", () => {
  expect(classOf("payment", "0003", "148 MID,TID,IP HATALI: 203.0.113.9")).toBe("credentials");
  for (const text of ["", "1480 LIMIT", "REFUSED 148"])
    expect(classOf("payment", "0003", text)).toBeUndefined();
});
