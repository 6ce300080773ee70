import { expect, test } from "vitest";

import { codeTable, refusalOf, type CodeClass } from "./code-table.ts";

const refusal = { resultCode: "x", resultMessage: "refused" };
const clock = {
  now: new Date("2026-03-10T12:00:00Z"),
  businessDay: { timeZone: "Europe/Istanbul", cutOff: "23:00" },
};

test("a table has each code of its lists, and of their spans", () => {
  const table = codeTable({ soft: "05 GK", technical: "2008-2010 2020" });
  expect([...table]).toEqual([
    ["05", "soft"],
    ["GK", "soft"],
    ...["2008", "2009", "2010", "2020"].map((code) => [code, "technical"]),
  ]);
});

test.each<[CodeClass | undefined, object]>([
  ["limit", { kind: "declined", declineClass: "limit", ...refusal }],
  ["unclassed", { kind: "declined", ...refusal }],
  ["credentials", { kind: "not_sent", reason: "credentials" }],
  ["too_many_calls", { kind: "not_sent", reason: "limit", notBefore: new Date("2026-03-10T12:01:00Z") }],
  ["day_not_ended", { kind: "not_sent", reason: "day_not_ended", notBefore: new Date("2026-03-10T20:00Z") }],
  ["undecided", { kind: "unknown", reason: "pending" }],
  ["failed", { kind: "unknown", reason: "invalid_answer" }],
  [undefined, { kind: "unknown", reason: "invalid_answer" }],
])("a refusal of the class %s is what it proves", (codeClass, outcome) => {
  expect(refusalOf(codeClass, refusal, clock)).toEqual(outcome);
});
