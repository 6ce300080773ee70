import * as fc from "fast-check";
import { expect, test } from "vitest";

import { classifyFailure } from "./classify-failure.ts";

test.each([
  ["10051", "limit"],
  ["10005", "soft"],
  ["10012", "hard"],
  ["10041", "stolen"],
  ["10043", "stolen"],
  ["10209", "stolen"],
  ["10054", "hard"],
  ["10084", "soft"],
  ["10057", "hard"],
  ["10058", "hard"],
  ["10034", "hard"],
  ["10093", "hard"],
  ["10217", "sca_required"],
  ["10224", "limit"],
  ["10246", "hard"],
  ["12", "technical"],
  ["5062", "technical"],
  ["5184", "technical"],
] as const)("%s is a decline of the class %s", (code, declineClass) => {
  expect(classifyFailure(code)).toEqual({ kind: "declined", declineClass });
});

test.each([
  ["1000", "credentials"],
  ["1001", "credentials"],
  ["9000", "credentials"],
  ["50000", "limit"],
  ["10223", "day_not_ended"],
])("%s proves that nothing was done: %s", (code, kind) => {
  expect(classifyFailure(code)).toEqual({ kind });
});

test.each("1 10202 10203 10204 10214 10219 10228 10230 10236 10240 10241 10242".split(" "))(
  "%s proves nothing, as iyzico's list says",
  (code) => {
    expect(classifyFailure(code)).toEqual({ kind: "unproven", documented: true });
  },
);

test("a code of no list proves nothing", () => {
  expect(classifyFailure("10000")).toEqual({ kind: "unproven", documented: false });
  expect(classifyFailure("10999")).toEqual({ kind: "unproven", documented: false });
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^\d+$/.test(text));
      expect(classifyFailure(text)).toEqual({ kind: "unproven", documented: false });
    }),
  );
});
