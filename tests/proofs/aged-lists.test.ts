import { expect, test } from "vitest";
import { CONNECTORS } from "@holdfast/banks";
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

test("each bank is in a run of chaos", () => {
  const played = PROOFS.flatMap(({ command }) => /--banks (\S+)/.exec(command)?.[1]?.split(",") ?? []);
  expect(new Set(played)).toEqual(new Set(CONNECTORS.keys()));
});

test("the lists are a part of what a release has to pass, and of nothing that today's checkout has to", () => {
  expect(PROOFS.map(({ name }) => name)).toContain("lists");
  // The currencies, and the codes of each bank but our own simulator.
  expect(new Set(DATED_LISTS.map(({ name }) => name)).size).toBe(CONNECTORS.size);
});
