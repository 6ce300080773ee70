import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

const RULES = new Set(["largestAmounts", "attemptsPerCard", "attemptsPerIp", "declineRate"]);

test.each([
  ["largestAmount", "largestAmounts"],
  ["LARGESTAMOUNTS", "largestAmounts"],
  ["attemptsPerIP", "attemptsPerIp"],
  ["declinerates", "declineRate"],
  ["atemptsPerCard", "attemptsPerCard"],
])("%s was probably %s", (name, meant) => {
  expect(nearestName(name, RULES)).toBe(meant);
});

test.each(["blockedBins", "x", "", "l".repeat(100_000)])("%.12s is near to nothing", (name) => {
  expect(nearestName(name, RULES)).toBeUndefined();
});

test("where nothing is known, nothing is near", () => {
  expect(nearestName("rules", new Set())).toBeUndefined();
});
