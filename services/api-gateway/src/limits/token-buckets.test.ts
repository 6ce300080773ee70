import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTokenBuckets } from "./token-buckets.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

function setUp({ size = 10, keysMax = 100 } = {}) {
  return createTokenBuckets({ size, intervalMs: 1_000, keysMax });
}

test("a burst is let through up to the size, and no more", () => {
  const buckets = setUp();
  const taken = Array.from({ length: 12 }, () => buckets.take("a"));
  expect(taken.map(({ waitMs }) => waitMs === 0)).toEqual([...Array(10).fill(true), false, false]);
  expect(taken.map(({ remaining }) => remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]);
  expect(taken.at(-1)).toEqual({ waitMs: 100, remaining: 0, fullInMs: 1_000 });
});

test("tokens come back evenly, and a refused attempt costs none", () => {
  const buckets = setUp();
  for (let count = 0; count < 15; count++) buckets.take("a");
  vi.advanceTimersByTime(98);
  expect(buckets.take("a").waitMs).toBeGreaterThan(0);
  vi.advanceTimersByTime(3);
  expect(buckets.take("a").waitMs).toBe(0);
  expect(buckets.take("a").waitMs).toBeGreaterThan(90);
  vi.advanceTimersByTime(60_000);
  expect(buckets.take("a")).toEqual({ waitMs: 0, remaining: 9, fullInMs: 100 });
});

test("keys do not share", () => {
  const buckets = setUp({ size: 1 });
  expect(["a", "b", "a"].map((key) => buckets.take(key).waitMs)).toEqual([0, 0, 1_000]);
});

test("asking whether there is one takes none", () => {
  const buckets = setUp({ size: 1 });
  expect([buckets.waitMs("a"), buckets.waitMs("a")]).toEqual([0, 0]);
  buckets.take("a");
  expect([buckets.waitMs("a"), buckets.waitMs("a")]).toEqual([1_000, 1_000]);
});

test("of more keys than may be remembered the ones used last are", () => {
  const buckets = setUp({ size: 1, keysMax: 2 });
  for (const key of ["a", "b", "a", "c"]) buckets.take(key);
  expect(["a", "b", "c"].map((key) => buckets.waitMs(key))).toEqual([1_000, 0, 1_000]);
});
