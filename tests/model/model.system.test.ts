import { describe, expect, test } from "vitest";
import { explore } from "./explore.ts";
import { moneyModel } from "./money-model.ts";
import { OURS } from "./ours.ts";
import { PLANTED } from "./planted-faults.ts";
import { nameOf, smallScenarios } from "./stories.ts";

describe("in every order of events, with a crash of each service", () => {
  test.each(smallScenarios().map((scenario) => [nameOf(scenario), scenario] as const))(
    "no promise is broken, and an end is always in reach: %s",
    (_, scenario) => {
      const { states, broken } = explore(moneyModel(scenario));
      expect(broken).toBeUndefined();
      expect(states).toBeGreaterThan(5_000);
    },
  );
});

test.each(PLANTED)("it finds, by the shortest way: $name", ({ scenario, ours, what, trace }) => {
  const { broken } = explore(moneyModel(scenario, { ours: { ...OURS, ...ours } }));
  expect(broken).toEqual({ what, trace });
});
