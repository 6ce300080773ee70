import { REPETITIONS } from "@holdfast/acquirer";
import { describe, expect, test } from "vitest";
import { explore } from "./explore.ts";
import { moneyModel } from "./money-model.ts";
import { OURS } from "./ours.ts";
import { PLANTED } from "./planted-faults.ts";

const KINDS = [true, false].flatMap((bindsUnseen) =>
  REPETITIONS.map((repetition) => ({ bindsUnseen, repetition })),
);

describe("in every order of events, with two crashes of each service", () => {
  test.each(KINDS)("no promise is broken, and an end is always in reach: %j", (kind) => {
    const { states, broken } = explore(moneyModel(kind));
    expect(broken).toBeUndefined();
    expect(states).toBeGreaterThan(5_000);
    process.stdout.write(`${JSON.stringify(kind)}: ${states} states\n`);
  });
});

test.each(PLANTED)("it finds, by the shortest way: $name", ({ kind, ours, what, trace }) => {
  const { broken } = explore(moneyModel(kind, { ours: { ...OURS, ...ours } }));
  expect(broken).toEqual({ what, trace });
});
