import { expect, test } from "vitest";
import { agedLists, DATED_LISTS } from "./aged-lists.ts";
import { PROOFS } from "./parts.ts";

const list = { name: "codes", source: "a bank", comparedOn: "2026-03-10" };

test.each([
  ["2026-03-10", []],
  ["2027-03-10", []],
  ["2027-03-11", [list]],
])("a list of 2026-03-10 is compared again a year later, on %s", (today, aged) => {
  expect(agedLists([list], new Date(`${today}T00:00:00Z`))).toEqual(aged);
});

test("the lists are a part of what a release has to pass, and of nothing that today's checkout has to", () => {
  expect(PROOFS.map(({ name }) => name)).toContain("lists");
  expect(DATED_LISTS.map(({ name }) => name)).toEqual([
    "ISO 4217",
    "Nestpay's and the issuers' codes",
    "iyzico's error codes",
    "Garanti's and the issuers' codes",
  ]);
});
